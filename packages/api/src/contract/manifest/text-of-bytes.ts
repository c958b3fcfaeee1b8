// The text of a file that people write, in the encoding that its first bytes name.

/**
 * As pip reads requirements: a byte order mark says UTF-16, which PowerShell writes; everything else is UTF-8. Without the mark.
 */
export function textOfBytes(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const is = (one: number, other: number) => first === one && second === other;
  const encoding = is(0xff, 0xfe) ? 'utf-16le' : is(0xfe, 0xff) ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
