// Escapes characters in untrusted text that would affect a terminal or the writing direction.
import { UNPRINTABLE } from '@pressroom/api/contract';

/** "a\nb" becomes "a\u{a}b". */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
