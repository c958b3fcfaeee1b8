// What is published of a directory: the kind, and a document, its local rendering or both.
import path from 'node:path';
import type { BundleFile } from '../collect/bundle-file.ts';
import { chooseContent, isChosen, type ContentSelector } from '../detect/choose-content.ts';
import type { ContentCandidate } from '../detect/content-candidate.ts';
import { asPage, findLocalRendering, type LocalRendering, type Rendering } from '../rendering/rendering.ts';
import type { DeployOptions } from './deploy-events.ts';

/** The kind at the last publishing. */
export type Earlier = ContentSelector & { readonly rendering?: Rendering | undefined };

export interface Chosen {
  readonly rendering: Rendering;
  /** Undefined if the kind is unknown. */
  readonly content: ContentCandidate | undefined;
  readonly root: string;
  /** With paths relative to `root`. */
  readonly files: readonly BundleFile[];
  readonly warnings: readonly string[];
  /** The local rendering shown until the server's is done. */
  readonly rendered?: { page: string; files: string[] };
}

/** Which rendering is published: the chosen one, else that of the last publish. */
export function renderingOf(
  options: ContentSelector & { rendering?: Rendering | undefined },
  before: Pick<Earlier, 'rendering'> | undefined,
): Rendering {
  return options.rendering ?? (isChosen(options) ? undefined : before?.rendering) ?? 'server';
}

/** @throws BundleError `rendering-missing` */
export async function choosePublished(
  options: DeployOptions,
  before: Earlier | undefined,
  files: readonly BundleFile[],
  candidates: readonly ContentCandidate[],
): Promise<Chosen> {
  const { dir, type, entrypoint } = options;
  const selector = { type, entrypoint };
  const rendering = renderingOf(options, before);
  // The record of a local rendering names the page, not the document.
  const last = rendering === 'server' && before?.rendering === 'local' ? undefined : before;
  const guess = (content: ContentCandidate | undefined) =>
    isChosen(options) || last ? [] : guessed(content, candidates);
  if (rendering === 'server') {
    const content = chooseContent(candidates, selector, last);
    return { rendering, content, root: dir, files, warnings: guess(content) };
  }
  const local = await findLocalRendering(dir, files, candidates, selector, last);
  if (rendering === 'both') {
    const { content, page } = local;
    const rendered = { page, files: [...local.files] };
    return {
      rendering,
      content,
      root: dir,
      files,
      rendered,
      warnings: [...guess(content), ...local.warnings],
    };
  }
  const content = asPage(local);
  return {
    rendering,
    content,
    root: path.join(dir, local.directory),
    files: sentOf(local, files),
    warnings: [...guess(content), ...local.warnings],
  };
}

/** The files of a rendering without its source, with paths relative to it. */
function sentOf({ page, files, directory }: LocalRendering, all: readonly BundleFile[]): BundleFile[] {
  const names = new Set([page, ...files]);
  const below = directory === '' ? 0 : directory.length + 1;
  return all
    .filter((file) => names.has(file.path))
    .map((file) => ({ ...file, path: file.path.slice(below) }));
}

/** Says which of several equally likely files was taken. */
function guessed(content: ContentCandidate | undefined, candidates: readonly ContentCandidate[]): string[] {
  if (content === undefined) return [];
  const { appmode, confidence, primary } = content;
  const others = candidates.filter(
    (one) => one.appmode === appmode && one.confidence === confidence && one.primary !== primary,
  );
  if (others.length === 0) return [];
  const names = others.slice(0, 3).map((one) => one.primary);
  return [`Visitors see ${primary}. To show ${names.join(' or ')} instead, name it as the entry point.`];
}
