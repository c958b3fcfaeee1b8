// Makes foreign text safe to show: it cannot mention anyone, link, format or reorder the surrounding text.

/** Control characters except tab and line feed, and direction marks. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
// oxlint-disable-next-line no-control-regex
const TERMINAL_COLOURS = /\u001B\[[0-9;?]*[ -/]*[@-~]/g;
/** Between `@` and the word, it prevents a mention; after other marks, emoji and formatting. */
const WORD_JOINER = '\u2060';
/** Slack shows `:rocket:` as an emoji, also in plain text. */
const EMOJI_START = /:(?=[\p{L}\p{N}_+'’-]+:)/gu;
/** Slack formats between these; `_` only at the edges of words. */
const FORMATTING = /[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Removes invisible characters and breaks `@here`, `@channel` and `@everyone`, even if a later cut could form them. */
export function clean(text: string | null | undefined): string {
  // Servers may leave out what the contract guarantees.
  return String(text ?? '')
    .toWellFormed()
    .replace(TERMINAL_COLOURS, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSEEN, '')
    .replace(/@(?=here|channel|everyone|group)/gi, `@${WORD_JOINER}`);
}

/** Notifies a Slack user, with a space after it; empty for null, or an ID that is none. */
export function mentionOf(user: string | null): string {
  return user !== null && /^[A-Z0-9]{2,32}$/.test(user) ? `<@${user}> ` : '';
}

/** For mrkdwn: escapes `&`, `<` and `>` as Slack requires, which prevents `<!channel>` and links; and prevents code. */
export function escape(text: string): string {
  return clean(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('`', 'ˋ');
}

/** One line of at most `most` characters, for plain text. */
export function line(text: string | null | undefined, most = 150): string {
  // Plain text cannot mention anyone, but may be copied to where it can.
  const flat = clean(text)
    .replace(/<(?=[!@#])/g, `<${WORD_JOINER}`)
    .replace(EMOJI_START, `:${WORD_JOINER}`)
    .replace(/\s+/g, ' ')
    .trim();
  return cutText(flat === '' ? '–' : flat, most);
}

/** One line for mrkdwn, escaped; at most `most` characters before escaping. */
export function inline(text: string | null | undefined, most = 150): string {
  return escape(line(text, most))
    .replace(EMOJI_START, `:${WORD_JOINER}`)
    .replace(FORMATTING, `$&${WORD_JOINER}`);
}

/** A link for mrkdwn, or only the label if the address is not http(s). */
export function link(url: string | null | undefined, label: string, most = 150): string {
  const text = inline(label, most).replaceAll('|', '¦');
  if (!url || url.length > 1000 || !/^https?:\/\//i.test(url)) return text;
  return `<${url
    .toWellFormed()
    .replace(/[<>|@\s]/g, encodeURIComponent)
    .replaceAll('&', '&amp;')}|${text}>`;
}

/** The last lines that fit into a code block of `most` characters. */
export function codeBlock(lines: readonly string[], most: number): string {
  const fence = '```';
  const kept: string[] = [];
  let room = most - 2 * fence.length - 2;
  for (const raw of lines.toReversed()) {
    const text = cutEscaped(escape(raw.slice(0, MAX_LINE_LENGTH)).replaceAll('\n', ' '), MAX_LINE_LENGTH);
    if (text.length + 1 > room) break;
    kept.unshift(text);
    room -= text.length + 1;
  }
  return `${fence}\n${kept.length === 0 ? '…' : kept.join('\n')}\n${fence}`;
}

/** Characters shown of a log line. */
const MAX_LINE_LENGTH = 300;

/** Cuts plain text without splitting surrogate pairs. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Cuts escaped text without splitting entities, links or characters; code blocks stay closed. */
export function cutEscaped(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = most - 5;
  let cut = text
    .slice(0, room)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/&[a-z]{0,3}$/, '');
  const opened = cut.lastIndexOf('<');
  if (opened > cut.lastIndexOf('>')) cut = cut.slice(0, opened);
  // A partial fence is removed first: only complete ones count.
  cut = cut.replace(/`+$/, '');
  const fences = cut.split('```').length - 1;
  return fences % 2 === 1 ? `${cut}\n\`\`\`` : `${cut}…`;
}

/** A time in the reader's time zone, formatted by Slack. */
export function moment(time: string | number | null): string {
  const milliseconds = millisecondsOf(time);
  if (!Number.isFinite(milliseconds)) return '–';
  return `<!date^${Math.floor(milliseconds / 1000)}^{date_short_pretty} {time}|${plainMoment(time)}>`;
}

/** A time for plain text. */
export function plainMoment(time: string | number | null): string {
  const milliseconds = millisecondsOf(time);
  if (!Number.isFinite(milliseconds)) return '–';
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** NaN for no time. */
export function millisecondsOf(time: string | number | null): number {
  return typeof time === 'number' ? time : Date.parse(time ?? '');
}
