// Masks secrets in task output: the values of content variables, whoever prints them.

/** Shorter values would mask ordinary words and numbers. */
const MIN_LENGTH = 4;
const MASK = '***';

/** Replaces secrets in a text, longest first. */
export type Mask = (text: string) => string;

/** @param secrets plain; their forms in R, Python and addresses are masked, too. */
export function createMask(secrets: Iterable<string>): Mask {
  const forms = new Set<string>();
  for (const secret of secrets) {
    // Output is masked line by line.
    for (const part of [secret, ...secret.split(/\r?\n/)]) {
      const trimmed = part.trim();
      if (trimmed.length < MIN_LENGTH) continue;
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
