// Text of a server for a terminal.

/** Removes control characters, so that text from a server cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => (character === '\t' ? '\t' : ''));
}
