// Escapes characters in untrusted text that would affect a terminal or the writing direction.

/** Control characters, line ends of every kind, zero-width characters, and direction overrides. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u3164\uFFA0]/gu;

/** "a\nb" becomes "a\u{a}b". */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
