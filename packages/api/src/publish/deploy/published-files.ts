// Lists the files of a directory as a publish sends them: an own manifest.json may name them.
import { comparePaths, resolveRoot, type BundleFile } from '../collect/bundle-file.ts';
import { EXCLUDED_SHOWN, type CollectedFiles } from '../collect/collect-files.ts';
import { largestOf } from '../collect/largest-files.ts';
import { isChosen, type ContentSelector } from '../detect/choose-content.ts';
import { listManifestFiles, listsFiles, readManifest } from '../manifest/read-manifest.ts';
import type { Rendering } from '../rendering/rendering.ts';
import { renderingOf, type Earlier } from './choose-published.ts';

/** What a publish is asked for. */
export interface PublishedOptions extends ContentSelector {
  rendering?: Rendering | undefined;
  /** The record of the last publish. */
  before?: Pick<Earlier, 'rendering'> | undefined;
  signal?: AbortSignal;
}

export interface PublishedFiles extends CollectedFiles {
  /** An own manifest.json names the files: ignore files do not change them. */
  isListed: boolean;
}

/** Why a file is excluded that was added after the publisher's manifest.json was written. */
const UNLISTED = 'manifest.json does not list it';

/** The collected files as a publish sends them. Throws what is wrong with manifest.json. */
export async function publishedOf(
  dir: string,
  collected: CollectedFiles,
  options: PublishedOptions,
): Promise<PublishedFiles> {
  const root = await resolveRoot(dir);
  const manifest = usesManifest(options, options.before) ? await readManifest(root) : undefined;
  if (manifest === undefined || !listsFiles(manifest)) return { ...collected, isListed: false };
  const listed = await listManifestFiles(root, manifest, options.signal);
  const own = collected.files.filter(({ path }) => path === 'manifest.json');
  const files = [...listed, ...own].toSorted(comparePaths);
  return {
    ...collected,
    ...exclusionsBeside(listed, collected),
    files,
    count: files.length,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    largest: largestOf(files),
    isListed: true,
  };
}

/** Whether a publish uses an own manifest.json: the publisher's choice overrides it. */
export function usesManifest(
  options: ContentSelector & { rendering?: Rendering | undefined },
  before: Pick<Earlier, 'rendering'> | undefined,
): boolean {
  return !isChosen(options) && renderingOf(options, before) === 'server';
}

/** What is excluded if an own manifest.json lists these files, which may include files that are excluded otherwise. */
export function exclusionsBeside(
  listed: readonly BundleFile[],
  collected: Pick<CollectedFiles, 'files' | 'excluded' | 'excludedCount'>,
): Pick<CollectedFiles, 'excluded' | 'excludedCount'> {
  const names = new Set(listed.map((file) => file.path));
  const excluded = collected.excluded.filter((entry) => !names.has(entry.path));
  const unlisted = collected.files.filter(({ path }) => !names.has(path) && path !== 'manifest.json');
  return {
    excluded: [...excluded, ...unlisted.map(({ path }) => ({ path, reason: UNLISTED }))]
      .toSorted(comparePaths)
      .slice(0, EXCLUDED_SHOWN),
    excludedCount: collected.excludedCount - (collected.excluded.length - excluded.length) + unlisted.length,
  };
}
