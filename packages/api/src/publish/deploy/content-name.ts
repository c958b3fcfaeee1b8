// Derives valid content names from titles, and unique ones if a name is taken.

const MIN_LENGTH = 3;
const MAX_LENGTH = 64;

/** Letters that do not decompose into a base letter and a mark. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
};

/** Without accents: two words that differ in a letter do not become one. */
export function plainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\p{L}/gu, (letter) => SPELLED[letter] ?? letter);
}

/** A valid name (3 to 64 letters, digits, dashes, underscores) as close to `text` as possible. */
export function contentNameFrom(text: string): string {
  const plain = plainLetters(text)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH)
    .replace(/-+$/, '');
  if (plain.length >= MIN_LENGTH) return plain;
  return plain === '' ? 'content' : `content-${plain}`;
}

/** Another name if `name` is taken: with a few random characters, still valid. */
export function uniqueName(name: string, random: () => number): string {
  const suffix = Array.from({ length: 5 }, () => Math.floor(random() * 36).toString(36)).join('');
  return `${name.slice(0, MAX_LENGTH - suffix.length - 1).replace(/-+$/, '')}-${suffix}`;
}
