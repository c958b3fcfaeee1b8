// Texts of one part of the bot in both languages, side by side. The compiler refuses one that is missing in either.
import type { LanguageCode } from './en/general.ts';

export interface BothLanguages<T> extends Readonly<Record<LanguageCode, T>> {
  /** The texts in the language of other texts. */
  (texts: { readonly code: LanguageCode }): T;
}

export function bothLanguages<T>(both: { readonly en: T; readonly de: NoInfer<T> }): BothLanguages<T> {
  return Object.assign(({ code }: { readonly code: LanguageCode }) => both[code], both);
}
