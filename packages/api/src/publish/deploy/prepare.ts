// Everything before the first byte is sent: files, kind, and manifest.
import path from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ManifestFile } from '../../contract/manifest/manifest-file.ts';
import { BundleError } from '../collect/bundle-error.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import { collectFiles } from '../collect/collect-files.ts';
import { largestOf } from '../collect/largest-files.ts';
import { isChosen } from '../detect/choose-content.ts';
import { candidatesOf, viewContent } from '../detect/detect-content.ts';
import { unusedProgramFile } from '../detect/detect-program.ts';
import { explainUnknown } from '../detect/explain-unknown.ts';
import { buildManifest } from '../manifest/build-manifest.ts';
import { probePython, probeR, probeRLibraries } from '../manifest/probe-runtime.ts';
import { readServerFacts } from '../preflight/server-facts.ts';
import { findOtherRecord } from '../records/find-other-record.ts';
import { choosePublished, type Earlier } from './choose-published.ts';
import type { CollectEvent, DeployOptions, ReadEvent } from './deploy-events.ts';
import { exclusionsBeside, usesManifest } from './published-files.ts';

export interface Prepared {
  /** Directory that the paths are relative to: the directory itself, or that of a rendered site. */
  root: string;
  files: BundleFile[];
  manifest: ManifestFile;
  /** Hex MD5 by path, for files that were read. */
  checksums: ReadonlyMap<string, string>;
  event: CollectEvent;
}

/**
 * Collects, detects and writes the manifest, for which every file is read once.
 * Throws BundleError or the signal's reason.
 */
export async function prepareBundle(
  options: DeployOptions,
  before: Earlier | undefined,
  report: (event: ReadEvent) => void,
): Promise<Prepared> {
  const { dir, signal } = options;
  const stoppable = signal === undefined ? {} : { signal };
  const collected = await collectFiles(dir, {
    ...stoppable,
    ...(options.include !== undefined && { include: options.include }),
    ...(options.exclude !== undefined && { exclude: options.exclude }),
  });
  const view = await viewContent(dir, collected.files, stoppable);
  const chosen = await choosePublished(options, before, collected.files, candidatesOf(view));
  const { rendering, content, root } = chosen;
  const { manifest, files, checksums, source, warnings } = await buildManifest({
    root,
    files: chosen.files,
    ...(content === undefined ? { whyUnknown: explainUnknown(view) } : { content }),
    // The publisher's choice overrides an existing manifest.json.
    useExisting: usesManifest(options, before),
    r: {
      probe: () => unlessAbsent(probeR(stoppable)),
      libraries: async () => (await unlessAbsent(probeRLibraries(stoppable))) ?? [],
    },
    python: { probe: async () => (await options.python?.()) ?? pythonVersion(options.client, stoppable) },
    ...stoppable,
    onProgress: (progress) => report({ type: 'read', ...progress }),
  });
  if (chosen.rendered) manifest.rendered = chosen.rendered;
  const { appmode, entrypoint, primary_rmd, primary_html } = manifest.metadata;
  const { excluded, excludedCount } = source === 'existing' ? exclusionsBeside(files, collected) : collected;
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
      excluded,
      excludedCount,
      warnings: [
        ...collected.warnings,
        ...warnings,
        ...chosen.warnings,
        ...(source === 'existing' || isChosen(options) ? [] : [unusedProgramFile(view) ?? []].flat()),
        ...(before === undefined ? await publishedElsewhere(options) : []),
      ],
      app_mode: appmode,
      entrypoint: entrypoint || primary_rmd || primary_html || null,
      ...(rendering !== 'server' && { rendering }),
      files: files.map((file) => file.path),
    },
  };
}

/** A first publish would make the content again that another client published. */
async function publishedElsewhere(options: DeployOptions): Promise<string[]> {
  const { dir, client, guid, publishAsNew = false, record } = options;
  if (guid !== undefined || publishAsNew || record === false) return [];
  const other = await findOtherRecord(dir, client.url);
  if (other === undefined) return [];
  return [
    `${other.client} published this directory to this server before. This makes new content: to update what it published, name it (--guid ${other.guid}).`,
  ];
}

/** The name of a directory, for deriving content names. */
export function directoryName(dir: string): string {
  return path.basename(path.resolve(dir));
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
