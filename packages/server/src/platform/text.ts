// Small things that are done with text in several rooms.

/** What stands before the first separator; all of it where there is none. */
export function before(text: string, separator: string): string {
  const at = text.indexOf(separator);
  return at === -1 ? text : text.slice(0, at);
}

/** Whether both databases keep the text as it is: PostgreSQL has no NUL, and half a character is kept nowhere. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
