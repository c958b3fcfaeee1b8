// Makes the text of others safe to show: it cannot mention anyone, link, format or reorder the text around it.

/** Control characters except tab and line feed, and the marks that change the direction of text. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
// oxlint-disable-next-line no-control-regex
const TERMINAL_COLOURS = /\u001B\[[0-9;?]*[ -/]*[@-~]/g;
/** Between `@` and the word, it keeps Slack and its clients from seeing a mention. */
const WORD_JOINER = '\u2060';

/** Removes what cannot be seen and breaks `@here`, `@channel` and `@everyone`, also where a later cut may end them. */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(TERMINAL_COLOURS, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSEEN, '')
    .replace(/@(?=here|channel|everyone|group)/gi, `@${WORD_JOINER}`);
}

/** For mrkdwn: `&`, `<` and `>` as Slack wants them, which leaves no `<!channel>`, no link and no code. */
export function escape(text: string): string {
  return clean(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('`', 'ˋ');
}

/** One line of at most `most` characters, for plain text. */
export function line(text: string, most = 150): string {
  // Plain text cannot ping, but it may end up where text can.
  const flat = clean(text)
    .replace(/<(?=[!@#])/g, `<${WORD_JOINER}`)
    .replace(/\s+/g, ' ')
    .trim();
  return cutText(flat === '' ? '–' : flat, most);
}

/** One line for mrkdwn, escaped; at most `most` characters before escaping. */
export function inline(text: string, most = 150): string {
  return escape(line(text, most))
    .replaceAll('`', 'ˋ')
    .replace(/([*~])/g, `$1${WORD_JOINER}`);
}

/** A link for mrkdwn, or the label alone when the address is no web address. */
export function link(url: string | null, label: string, most = 150): string {
  const text = inline(label, most).replaceAll('|', '¦');
  if (url === null || url.length > 1000 || !/^https?:\/\//i.test(url)) return text;
  return `<${url
    .toWellFormed()
    .replace(/[<>|@\s]/g, encodeURIComponent)
    .replaceAll('&', '&amp;')}|${text}>`;
}

/** The last lines that fit, as a code block of at most `most` characters. */
export function codeBlock(lines: readonly string[], most: number): string {
  const fence = '```';
  const kept: string[] = [];
  let room = most - 2 * fence.length - 2;
  for (const raw of lines.toReversed()) {
    const text = cutEscaped(
      escape(raw.slice(0, LONGEST_LINE)).replaceAll('`', 'ˋ').replaceAll('\n', ' '),
      LONGEST_LINE,
    );
    if (text.length + 1 > room) break;
    kept.unshift(text);
    room -= text.length + 1;
  }
  return `${fence}\n${kept.length === 0 ? '…' : kept.join('\n')}\n${fence}`;
}

/** Characters of a log line that are shown. */
const LONGEST_LINE = 300;

/** Cuts plain text, never inside a character of two units. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Cuts escaped text, never inside an entity, a link or a character; a code block stays closed. */
export function cutEscaped(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = most - 5;
  let cut = text
    .slice(0, room)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/&[a-z]{0,3}$/, '');
  const opened = cut.lastIndexOf('<');
  if (opened > cut.lastIndexOf('>')) cut = cut.slice(0, opened);
  // What is left of a fence goes first: only whole ones are counted.
  cut = cut.replace(/`+$/, '');
  const fences = cut.split('```').length - 1;
  return fences % 2 === 1 ? `${cut}\n\`\`\`` : `${cut}…`;
}

/** A moment as the reader's own clock shows it; Slack fills it in. */
export function moment(time: string | number | null): string {
  const milliseconds = typeof time === 'number' ? time : Date.parse(time ?? '');
  if (!Number.isFinite(milliseconds)) return '–';
  const plain = new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
  return `<!date^${Math.floor(milliseconds / 1000)}^{date_short_pretty} {time}|${plain} UTC>`;
}

/** A moment for plain text. */
export function plainMoment(time: string | number | null): string {
  const milliseconds = typeof time === 'number' ? time : Date.parse(time ?? '');
  return Number.isFinite(milliseconds)
    ? `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : '–';
}
