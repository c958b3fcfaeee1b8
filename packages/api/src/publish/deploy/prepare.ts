// Everything before the first byte is sent: files, kind, and manifest.
import path from 'node:path';
import { BundleError } from '../collect/bundle-error.ts';
import { buildManifest } from '../manifest/build-manifest.ts';
import { collectFiles } from '../collect/collect-files.ts';
import { candidatesOf, viewContent } from '../detect/detect-content.ts';
import { explainUnknown } from '../detect/explain-unknown.ts';
import { probePython, probeR, probeRLibraries } from '../manifest/probe-runtime.ts';
import type { ContentCandidate } from '../detect/content-candidate.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import type { ManifestFile } from '../../contract/manifest/manifest-file.ts';
import type { Client } from '../../client/client.ts';
import { readServerFacts } from '../preflight/server-facts.ts';
import { chooseContent, type ContentSelector } from '../detect/choose-content.ts';
import { asPage, findLocalRendering, type LocalRendering, type Rendering } from '../rendering/rendering.ts';
import type { CollectEvent, DeployOptions, ReadEvent } from './deploy-events.ts';

export interface Prepared {
  /** Directory that the paths are relative to: the directory itself, or that of a rendered site. */
  root: string;
  files: BundleFile[];
  manifest: ManifestFile;
  /** Hex MD5 by path, for files that were read. */
  checksums: ReadonlyMap<string, string>;
  event: CollectEvent;
}

const LARGEST_FILES = 10;

/**
 * Collects, detects and writes the manifest, for which every file is read once.
 * @param before the kind at the last publishing.
 * Throws BundleError or the signal's reason.
 */
export async function prepareBundle(
  options: DeployOptions,
  before: (ContentSelector & { readonly rendering?: Rendering | undefined }) | undefined,
  report: (event: ReadEvent) => void,
): Promise<Prepared> {
  const { dir, signal } = options;
  const stoppable = signal === undefined ? {} : { signal };
  const collected = await collectFiles(dir, {
    ...stoppable,
    ...(options.include !== undefined && { include: options.include }),
    ...(options.exclude !== undefined && { exclude: options.exclude }),
  });
  const { type, entrypoint } = options;
  const view = await viewContent(dir, collected.files, stoppable);
  const isChosen = type !== undefined || entrypoint !== undefined;
  const rendering = options.rendering ?? (isChosen ? undefined : before?.rendering) ?? 'server';
  // Then the record names the page, not the document.
  const last = rendering === 'server' && before?.rendering === 'local' ? undefined : before;
  const candidates = candidatesOf(view);
  const selector = { type, entrypoint };
  const local =
    rendering === 'server'
      ? null
      : await findLocalRendering(dir, collected.files, candidates, selector, last);
  const content = !local
    ? chooseContent(candidates, selector, last)
    : rendering === 'local'
      ? asPage(local)
      : local.content;
  const sent = rendering === 'local' && local ? sentOf(local, collected.files) : collected.files;
  const root = rendering === 'local' && local ? path.join(dir, local.directory) : dir;
  const { manifest, files, checksums, warnings } = await buildManifest({
    root,
    files: sent,
    ...(content === undefined ? { whyUnknown: explainUnknown(view) } : { content }),
    // The publisher's choice overrides an existing manifest.json.
    useExisting: !isChosen && local === null,
    r: {
      probe: () => unlessAbsent(probeR(stoppable)),
      libraries: async () => (await unlessAbsent(probeRLibraries(stoppable))) ?? [],
    },
    python: { probe: () => pythonVersion(options.client, stoppable) },
    ...stoppable,
    onProgress: (progress) => report({ type: 'read', ...progress }),
  });
  if (local && rendering === 'both') manifest.rendered = { page: local.page, files: [...local.files] };
  const { appmode, entrypoint: start, primary_rmd, primary_html } = manifest.metadata;
  return {
    root,
    files,
    manifest,
    checksums,
    event: {
      type: 'collect',
      count: files.length,
      bytes: files.reduce((sum, file) => sum + file.size, 0),
      largest: largestOf(files),
      excluded: collected.excluded,
      excludedCount: collected.excludedCount,
      warnings: [
        ...collected.warnings,
        ...warnings,
        ...(isChosen || last ? [] : guessed(content, candidates)),
        ...(local?.warnings ?? []),
      ],
      app_mode: appmode,
      entrypoint: start || primary_rmd || primary_html || null,
      ...(rendering !== 'server' && { rendering }),
      files: files.map((file) => file.path),
    },
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

/** The name of a directory, for deriving content names. */
export function directoryName(dir: string): string {
  return path.basename(path.resolve(dir));
}

function largestOf(files: readonly BundleFile[]): { path: string; size: number }[] {
  return files
    .map(({ path: name, size }) => ({ path: name, size }))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, LARGEST_FILES);
}

/** R content can be published without R: then the server's version is used. */
async function unlessAbsent<T>(probe: Promise<T>): Promise<T | undefined> {
  try {
    return await probe;
  } catch (error) {
    if (error instanceof BundleError && error.code === 'probe-failed') return undefined;
    throw error;
  }
}

/** The version on this machine; without Python, as in a browser, the newest on the server. */
async function pythonVersion(client: Client, stoppable: { signal?: AbortSignal }): Promise<string> {
  try {
    return await probePython(stoppable);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    const { versions = [] } = await readServerFacts(client, 'Python', { ...stoppable, retries: 0 });
    const [newest] = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    if (newest === undefined) throw error;
    return newest;
  }
}
