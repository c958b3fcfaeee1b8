// Detects the type of an image by its first bytes: the name and type given by the client are not trusted.

/** Null for anything else, including SVG, which can run scripts. */
export function imageTypeOf(bytes: Buffer): string | null {
  const begins = (text: string, at = 0) => bytes.subarray(at, at + text.length).toString('latin1') === text;
  if (begins('\x89PNG\r\n\x1a\n') && begins('IHDR', 12)) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
  return null;
}
