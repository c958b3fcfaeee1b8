// Which rendering of a document visitors see, and the files of the local one.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { wording, type Wording } from '../../client/failure-texts.ts';
import { findKind } from '../../contract/find-kind.ts';
import { BundleError } from '../collect/bundle-error.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import { chooseContent, isChosen, type ContentSelector } from '../detect/choose-content.ts';
import type { ContentCandidate } from '../detect/content-candidate.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';
import { siteOutput, USUAL_OUTPUTS } from './site-output.ts';

/** `server`: its own; `both`: the local one until the server's is done; `local`: the local one, without the source. */
export type Rendering = 'server' | 'both' | 'local';
export const RENDERINGS: readonly Rendering[] = ['server', 'both', 'local'];

export interface LocalRendering {
  /** The document. */
  readonly content: ContentCandidate;
  /** The rendered page: at the top of the directory, or in that of a site. */
  readonly page: string;
  /** Output directory of a site, which is self-contained; empty for a document. */
  readonly directory: string;
  /** Paths of files that the page needs, without itself. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
}

/** Maximum bytes of a page or style sheet searched for references. */
const MAX_SEARCHED_BYTES = 64 * 2 ** 20;
const ATTRIBUTE = /\b(?:src|href|data)\s*=\s*(?:"([^"#?]+)|'([^'#?]+))/gi;
const STYLE_URL = /\burl\(\s*["']?([^"'()#?]+)|@import\s+["']([^"'#?]+)/gi;

/**
 * Finds the document, its local rendering, and the files that needs: those in its `_files` directory, and those
 * referenced by it or its style sheets.
 * @throws BundleError `rendering-missing`
 */
export async function findLocalRendering(
  root: string,
  files: readonly BundleFile[],
  candidates: readonly ContentCandidate[],
  selector: ContentSelector,
  before?: ContentSelector,
): Promise<LocalRendering> {
  const content = chooseDocument(candidates, selector, before);
  const paths = new Set(files.map((file) => file.path));
  if (content.contentCategory !== '') return renderedSite(root, paths, content);
  const page = pageOf(content.primary);
  if (!paths.has(page)) throw missing(wording(BUNDLE_TEXTS.notRendered, page, content.primary), page);
  const directory = `${page.replace(/\.html$/, '')}_files/`;
  const needed = await namedBy(root, page, paths);
  for (const name of paths) if (name.startsWith(directory)) needed.add(name);
  needed.delete(page);
  const warnings = await warningsOf(root, page, content.primary);
  return { content, page, directory: '', files: sorted(needed), warnings };
}

/** The whole output directory. @throws BundleError `rendering-missing` */
async function renderedSite(
  root: string,
  paths: ReadonlySet<string>,
  content: ContentCandidate,
): Promise<LocalRendering> {
  const directory = await siteOutput(root, paths);
  if (directory === null) throw missing(wording(BUNDLE_TEXTS.siteNotRendered));
  const page = `${directory}/index.html`;
  const needed = [...paths].filter((name) => name.startsWith(`${directory}/`) && name !== page);
  const warnings = await warningsOf(root, page, content.primary);
  return { content, page, directory, files: sorted(needed), warnings };
}

async function warningsOf(root: string, page: string, source: string): Promise<string[]> {
  const [made, written] = await Promise.all([page, source].map((name) => stat(path.join(root, name))));
  const isOlder = made!.mtimeMs < written!.mtimeMs;
  return isOlder ? [`${page} is older than ${source}: it may show what is no longer true.`] : [];
}

const sorted = (names: Iterable<string>) => [...names].toSorted((a, b) => (a < b ? -1 : 1));

/** The rendering next to a document, or in one of the usual output directories of a site; null if there is none. */
export function renderedPage(
  { appmode, contentCategory, primary }: ContentCandidate,
  files: readonly Pick<BundleFile, 'path'>[],
): string | null {
  if (findKind(appmode)?.engine !== 'document') return null;
  const pages =
    contentCategory === '' ? [pageOf(primary)] : USUAL_OUTPUTS.map((directory) => `${directory}/index.html`);
  return pages.find((page) => files.some((file) => file.path === page)) ?? null;
}

/** The page published without its document; for a site, its output directory. */
export function asPage({ page: rendered, directory }: LocalRendering): ContentCandidate {
  const page = rendered.slice(directory === '' ? 0 : directory.length + 1);
  return {
    appmode: 'static',
    contentCategory: '',
    primary: page,
    entrypoint: page,
    hasParameters: false,
    confidence: 1,
    why: `${page} is published as it was rendered here.`,
    reason: { code: 'page', args: [page] },
  };
}

function chooseDocument(
  candidates: readonly ContentCandidate[],
  selector: ContentSelector,
  before: ContentSelector | undefined,
): ContentCandidate {
  const documents = candidates.filter(({ appmode }) => findKind(appmode)?.engine === 'document');
  // Without its document, the record names the page.
  const isOf =
    ({ entrypoint }: ContentSelector) =>
    (one: ContentCandidate) =>
      entrypoint !== undefined && [one.primary, pageOf(one.primary)].includes(entrypoint);
  const found =
    documents.find(isOf(selector)) ??
    (isChosen(selector)
      ? chooseContent(documents, selector)
      : (documents.find(isOf(before ?? {})) ?? documents[0]));
  if (found === undefined || findKind(found.appmode)?.engine !== 'document')
    throw missing(wording(BUNDLE_TEXTS.noDocument));
  return found;
}

function pageOf(document: string): string {
  return `${document.replace(/\.[^.]+$/, '')}.html`;
}

/** Paths of the bundle referenced by a page or its style sheets. */
async function namedBy(root: string, page: string, paths: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>([page]);
  for (const file of found) {
    const pattern = /\.html?$/i.test(file) ? ATTRIBUTE : /\.css$/i.test(file) ? STYLE_URL : null;
    if (pattern === null || (await stat(path.join(root, file))).size > MAX_SEARCHED_BYTES) continue;
    const text = await readFile(path.join(root, file), 'utf8');
    for (const [, one, other] of text.matchAll(pattern)) {
      const name = path.posix.join(path.posix.dirname(file), decoded(one ?? other ?? ''));
      // Linked pages are documents of their own.
      if (paths.has(name) && !/\.(html?|[rq]md|ipynb)$/i.test(name)) found.add(name);
    }
  }
  return found;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function missing(message: Wording, ...paths: string[]): BundleError {
  return new BundleError('rendering-missing', message, { paths });
}
