// Text helpers shared by several rooms.

/** The text before the first separator; all of it without one. */
export function before(text: string, separator: string): string {
  const at = text.indexOf(separator);
  return at === -1 ? text : text.slice(0, at);
}

/** Whether both databases store the text unchanged: PostgreSQL has no NUL, and neither stores unpaired surrogates. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
