// Marks that reverse or reorder the text after them.

/** A mark of a single character's direction is no such mark: text in Arabic or Hebrew needs it. */
const DIRECTIONS = /[\u202A-\u202E\u2066-\u2069]/g;

/** Text by others, which could change how what is beside it reads: the account beside a name, the file beside a commit. */
export function withoutDirections(text: string): string {
  return text.replaceAll(DIRECTIONS, '');
}
