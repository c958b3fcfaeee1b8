// Small things that are done with text in several rooms.

/** What stands before the first separator; all of it where there is none. */
export function before(text: string, separator: string): string {
  const at = text.indexOf(separator);
  return at === -1 ? text : text.slice(0, at);
}
