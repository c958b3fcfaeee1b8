// Decodes a text file, using the encoding of its byte order mark.

/**
 * As pip reads requirements: UTF-16 by its byte order mark, as written by PowerShell, else UTF-8. The mark is removed.
 */
export function textOfBytes(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const is = (one: number, other: number) => first === one && second === other;
  const encoding = is(0xff, 0xfe) ? 'utf-16le' : is(0xfe, 0xff) ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
