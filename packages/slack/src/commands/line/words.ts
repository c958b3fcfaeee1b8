// Splits command text from Slack into words: undoes curly quotes, dashes and escapes, and keeps quoted phrases
// together.

const DOUBLE_QUOTES = /[\u201C\u201D\u201E\u201F\u00AB\u00BB\u2033]/g;
const SINGLE_QUOTES = /[\u2018\u2019\u201A\u201B\u2032]/g;
/** Like single quotes: the bot shows a backtick as U+02CB. */
const BACKTICKS = /[`\u02CB]/g;
const QUOTES: readonly (readonly [RegExp, string])[] = [
  [DOUBLE_QUOTES, '"'],
  [SINGLE_QUOTES, "'"],
  // macOS converts `--last` to an em dash and the word.
  [/(^|\s)\u2014(?=\w)/g, '$1--'],
  [/(^|\s)\u2013(?=\w)/g, '$1--'],
  [/[\u00A0\u2007\u202F\u3000]/g, ' '],
];

/** Maximum characters; the rest is ignored. */
const MAX_TEXT_LENGTH = 4000;

/** A phrase. A single quote begins one at the start of a word or value, and ends it at its end: others are apostrophes. */
const QUOTED = /"[^"]*"|(?<![^\s=])'(?:[^']|'(?=\S))*'(?!\S)/g;
const WORD = new RegExp(`<[^<>]*>|(?:${QUOTED.source}|[^\\s"])+`, 'g');

/** Words of a command line; text in quotes is one word. */
export function splitWords(text: string): string[] {
  let plain = text.slice(0, MAX_TEXT_LENGTH);
  for (const [pattern, replacement] of QUOTES) plain = plain.replace(pattern, replacement);
  const words = plain.match(WORD) ?? [];
  return words.map(unwrap).filter((word) => word !== '');
}

/**
 * A name for comparison: in any case (`GRÖSSE` is `Größe`), and as `splitWords` leaves what was typed or copied from an
 * response, without quotes, invisible characters and repeated spaces.
 */
export function fold(name: string | null | undefined): string {
  return String(name ?? '')
    .replace(DOUBLE_QUOTES, '')
    .replace(SINGLE_QUOTES, '')
    .replace(BACKTICKS, '')
    .replace(/["']/g, '')
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .toUpperCase();
}

/** `<https://a|b>` → `https://a`, `<mailto:a@b|a@b>` → `a@b`, `<@U1|ada>` → `<@U1>`; removes quotes and entities. */
function unwrap(word: string): string {
  const link = /^<([^|<>]*)(?:\|[^<>]*)?>$/.exec(word)?.[1];
  if (link === undefined) return unescape(word.replace(QUOTED, (phrase) => phrase.slice(1, -1).trim()));
  if (/^[@#]/.test(link)) return `<${link}>`;
  return unescape(link.replace(/^mailto:/i, ''));
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** The Slack user mentioned by a word, such as `<@U123>`; null if none. */
export function mentionedUser(word: string): string | null {
  return /^<@([A-Z0-9]{2,32})>$/.exec(word)?.[1] ?? null;
}
