// Text that somebody else chose, for people to read: what would change a terminal or the direction of writing is shown as its number.

/** Controls, line ends of every kind, zero-width characters, and all that turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u3164\uFFA0]/gu;

/** "a\nb" becomes "a\u{a}b". */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
