// Finds links to other content in the files of a content item: GUIDs anywhere in a text, vanity paths in addresses.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { filesBelow } from '../../deploys/sites/files-below.ts';

export interface KnownPath {
  readonly content_guid: string;
  /** In lower case, with a trailing slash. */
  readonly path_key: string;
}

/** Source files and rendered pages. */
const TEXT = new Set(
  [
    '.html',
    '.htm',
    '.md',
    '.rmd',
    '.qmd',
    '.ipynb',
    '.js',
    '.ts',
    '.r',
    '.py',
    '.json',
    '.yml',
    '.yaml',
  ].concat(['.toml', '.txt', '.css', '.svg', '.xml']),
);
/** Limits on bytes, files read, and files and directories looked at; anything beyond is ignored. */
const MAX_FILE_BYTES = 2 ** 21;
const MAX_SITE_BYTES = 20 * 2 ** 20;
const MAX_FILES = 2000;
const MAX_ENTRIES = 100_000;

const GUID = /\/content\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9a-f])/gi;
const ADDRESS = /["'(](https?:\/\/[^/"'()\s]+)?(\/(?:[a-z0-9_-]+\/)+)/gi;

/**
 * GUIDs in no order; some may not exist here.
 * @param origin of the server, such as `https://rsc.example`: vanity paths elsewhere are ignored
 */
export async function findLinks(
  directory: string,
  vanities: readonly KnownPath[],
  origin: string,
): Promise<Set<string>> {
  const found = new Set<string>();
  const known = new Map(vanities.map(({ path_key, content_guid }) => [path_key, content_guid]));
  const longest = vanities.reduce((most, { path_key }) => Math.max(most, path_key.length), 0);
  let left = MAX_SITE_BYTES;
  let files = 0;
  for await (const path of filesBelow(directory, MAX_ENTRIES)) {
    if (!TEXT.has(extname(path).toLowerCase())) continue;
    if (files++ === MAX_FILES) break;
    // Processes of the content may remove it meanwhile.
    const text = await readText(path, Math.min(left, MAX_FILE_BYTES)).catch(() => '');
    left -= text.length;
    linksOf(text, { known, longest }, origin, found);
    if (left <= 0) break;
  }
  return found;
}

interface Vanities {
  /** Content by path. */
  readonly known: ReadonlyMap<string, string>;
  /** Length of the longest path in characters. */
  readonly longest: number;
}

function linksOf(text: string, { known, longest }: Vanities, origin: string, found: Set<string>): void {
  for (const [, guid = ''] of text.matchAll(GUID)) found.add(guid.toLowerCase());
  if (longest === 0) return;
  for (const [, host, path = ''] of text.matchAll(ADDRESS)) {
    if (host !== undefined && host.toLowerCase() !== origin.toLowerCase()) continue;
    const key = path.slice(0, longest).toLowerCase();
    for (let end = key.indexOf('/', 1); end !== -1; end = key.indexOf('/', end + 1)) {
      const guid = known.get(key.slice(0, end + 1));
      if (guid !== undefined) found.add(guid);
    }
  }
}

/** Empty for a larger file. Does not open links and pipes. */
async function readText(path: string, limit: number): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { size } = await file.stat();
  if (size > limit) return '';
  // Not one byte more than it had: somebody may be writing to it.
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size));
  return buffer.toString('latin1', 0, bytesRead);
}
