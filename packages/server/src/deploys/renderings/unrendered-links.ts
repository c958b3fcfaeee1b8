// Links of a rendered page to documents of its bundle that were not rendered: visitors would find nothing there.
import { lstat, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isFile } from './local-rendering.ts';

export interface UnrenderedLink {
  readonly link: string;
  readonly document: string;
}

/** Larger pages hold data, and are not searched. */
const MAX_PAGE_BYTES = 16 * 2 ** 20;
const MAX_FOUND = 20;
const MAX_LINKS = 2000;
const HREF = /\bhref="([^"#?:]{1,500})["#?]/g;
const PAGE = /\.html?$/i;
const PAGE_OR_DOCUMENT = /\.(?:html?|rmd|qmd|ipynb)$/i;
const DOCUMENTS = ['.Rmd', '.rmd', '.qmd', '.ipynb'];

/**
 * @param source the bundle's files @param target what is served @param rendered the document that the page is made
 * from. Links that the page computes are not found.
 */
export async function findUnrenderedLinks(
  source: string,
  target: string,
  rendered: string | null,
): Promise<UnrenderedLink[]> {
  const page = join(target, 'index.html');
  if ((await lstat(page)).size > MAX_PAGE_BYTES) return [];
  const html = await readFile(page, 'utf8');
  const links = new Set<string>();
  let seen = 0;
  for (const [, href = ''] of html.matchAll(HREF)) {
    links.add(href);
    seen += 1;
    if (seen === MAX_LINKS) break;
  }
  const found: UnrenderedLink[] = [];
  for (const link of links) {
    const document = found.length < MAX_FOUND && (await documentOf(link, source, target));
    if (document && document !== rendered) found.push({ link, document });
  }
  return found;
}

/** Null if the link leads to a file that is served, to the source of a rendered document, or elsewhere. */
async function documentOf(link: string, source: string, target: string): Promise<string | null> {
  const path = posix.normalize(decoded(link));
  if (posix.isAbsolute(path) || path.startsWith('..') || path.includes('\0')) return null;
  const stem = path.replace(PAGE_OR_DOCUMENT, '');
  if (stem === path) return null;
  for (const name of [path, `${stem}.html`]) if (await isFile(join(target, name))) return null;
  const names = PAGE.test(path) ? DOCUMENTS.map((end) => stem + end) : [path];
  for (const name of names) if (await isFile(join(source, name))) return name;
  return null;
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link.replaceAll('&amp;', '&'));
  } catch {
    return link;
  }
}
