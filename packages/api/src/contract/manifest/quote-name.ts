// Shows untrusted names and values in messages.

const SHOWN_CHARACTERS = 200;
/** Control characters, line ends of every kind, zero-width characters, and direction overrides. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u3164\uFFA0]/gu;

/** A quoted name, shortened, with escapes for characters that affect terminals or deceive readers. */
export function quoteName(name: string): string {
  const shown = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replaceAll(UNPRINTABLE, escaped);
}

/** Whether a name cannot be shown unchanged. */
export function isUnprintable(name: string): boolean {
  return name.search(UNPRINTABLE) >= 0;
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
