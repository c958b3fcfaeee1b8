// Text of a server for a terminal.

/** Removes control characters, so that text from a server cannot control the terminal. */
export function printable(text: string | null | undefined): string {
  return String(text ?? '').replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === '\t' ? '\t' : '',
  );
}
