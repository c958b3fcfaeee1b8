// Hides secrets in what a task says: the values of content variables, whoever prints them.

/** Values that are shorter would hide words and numbers that are no secret. */
const SHORTEST = 4;
const MASK = '***';

/** Replaces secrets in a text, the longest first; nothing to hide answers the text as it is. */
export type Mask = (text: string) => string;

/** @param secrets as they are; what R, Python and addresses make of them is hidden, too. */
export function createMask(secrets: Iterable<string>): Mask {
  const forms = new Set<string>();
  for (const secret of secrets) {
    // Output is masked line by line.
    for (const part of [secret, ...secret.split(/\r?\n/)]) {
      const trimmed = part.trim();
      if (trimmed.length < SHORTEST) continue;
      for (const form of [
        trimmed,
        JSON.stringify(trimmed).slice(1, -1),
        encodeURIComponent(trimmed.toWellFormed()),
      ])
        forms.add(form);
    }
  }
  if (forms.size === 0) return (text) => text;
  const pattern = [...forms]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
    .join('|');
  const secret = new RegExp(pattern, 'g');
  return (text) => text.replace(secret, MASK);
}
