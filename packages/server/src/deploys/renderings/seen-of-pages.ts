// Measures how much a reader sees of rendered pages: letters, pictures and tables. Documents are untrusted: each file
// is read once, up to a limit.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { filesBelow } from '../sites/files-below.ts';

export interface Seen {
  readonly letters: number;
  readonly pictures: number;
}

const PAGES = new Set(['.html', '.htm']);
const SHOWN = new Set(['img', 'svg', 'canvas', 'table', 'video', 'iframe']);
/** Elements whose text people do not see. */
const UNSEEN = new Set(['script', 'style', 'template', 'head', 'noscript']);
const MAX_FILE_BYTES = 64 * 2 ** 20;
const MAX_FILES = 1000;
/** Files and directories looked at. */
const MAX_ENTRIES = 100_000;
const LETTERS_AT_ONCE = 2 ** 16;
const BREATH_MS = 5;

/** Total of all pages in a directory. */
export async function readSeen(directory: string): Promise<Seen> {
  let [letters, pictures, files] = [0, 0, 0];
  for await (const path of filesBelow(directory, MAX_ENTRIES)) {
    if (!PAGES.has(extname(path).toLowerCase())) continue;
    if (files++ === MAX_FILES) break;
    const seen = await seenOf(await readText(path));
    letters += seen.letters;
    pictures += seen.pictures;
  }
  return { letters, pictures };
}

/** Letters, digits and signs of a page, without spaces. Yields to the event loop. */
export async function seenOf(html: string): Promise<Seen> {
  let [letters, pictures, at] = [0, 0, 0];
  let since = performance.now();
  const breathe = async () => {
    await setImmediate();
    since = performance.now();
  };
  const isTime = () => performance.now() - since > BREATH_MS;
  while (at < html.length) {
    if (isTime()) await breathe();
    const tag = html.indexOf('<', at);
    const end = tag === -1 ? html.length : tag;
    for (let from = at; from < end; from += LETTERS_AT_ONCE) {
      const part = html.slice(from, Math.min(end, from + LETTERS_AT_ONCE));
      letters += part.replaceAll(/\s/g, '').length;
      if (isTime()) await breathe();
    }
    if (tag === -1) break;
    if (html.startsWith('<!--', tag)) {
      const close = html.indexOf('-->', tag + 4);
      at = close === -1 ? html.length : close + 3;
      continue;
    }
    const name = /^[a-z][a-z0-9]*/i.exec(html.slice(tag + 1, tag + 20))?.[0].toLowerCase() ?? '';
    if (SHOWN.has(name)) pictures += 1;
    const from = UNSEEN.has(name) ? closingTag(html, name, tag) : tag;
    const close = from === -1 ? -1 : html.indexOf('>', from);
    at = close === -1 ? html.length : close + 1;
  }
  return { letters, pictures };
}

/** Searched without changing case: lower-casing can change the length ("İ") and shift offsets. */
function closingTag(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? -1;
}

/** Empty for a larger file. Does not open links and pipes. */
async function readText(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { size } = await file.stat();
  return size > MAX_FILE_BYTES ? '' : file.readFile('utf8');
}
