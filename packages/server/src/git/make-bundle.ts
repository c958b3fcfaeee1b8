// Builds a bundle from a directory as the clients do: with its own manifest, or a detected one.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { errors } from '@pressroom/api/contract';
import {
  buildManifest,
  BundleError,
  collectFiles,
  detectContent,
  packBundle,
  probePython,
  probeR,
  type BundleFile,
} from '@pressroom/api/publish';
import { DEFAULT_ARCHIVE_LIMITS } from '../bundles/archive/index.ts';
import type { FetchLimits } from './fetch-commit.ts';

/**
 * @param fetchLarge replaces pointers by large files; returns whether there were any
 * @throws ApiError 38 if the files make no bundle
 */
export async function makeBundle(
  root: string,
  limits: FetchLimits,
  signal: AbortSignal,
  print: (line: string) => void,
  fetchLarge: (files: readonly BundleFile[]) => Promise<boolean>,
): Promise<Readable> {
  const collect = () =>
    collectFiles(root, { limits: { files: limits.entries, bytes: limits.unpacked }, signal });
  try {
    const found = await collect();
    const collected = (await fetchLarge(found.files)) ? await collect() : found;
    // Read even if an ignore file excludes it.
    const own = await lstat(join(root, 'manifest.json')).catch(() => null);
    if (own !== null && own.size > DEFAULT_ARCHIVE_LIMITS.maxManifestBytes)
      throw errors.invalidManifest({ message: 'manifest.json is larger than 10 MiB' });
    const hasManifest = collected.files.some(({ path }) => path === 'manifest.json');
    const [content] = hasManifest ? [] : await detectContent(root, collected.files, { signal });
    const { manifest, files, warnings } = await buildManifest({
      root,
      files: collected.files,
      ...(content !== undefined && { content }),
      whyUnknown: 'no manifest: the directory has no manifest.json, and nothing that tells what it is',
      r: { probe: () => probeR({ signal }).catch(() => undefined) },
      python: { probe: () => probePython({ signal }) },
      signal,
    });
    for (const warning of [...collected.warnings, ...warnings]) print(`Warning: ${warning}`);
    print(`Made a bundle of ${files.length} files (${manifest.metadata.appmode})`);
    return packBundle({ root, files, manifest, signal }).stream;
  } catch (cause) {
    if (cause instanceof BundleError) throw errors.invalidManifest({ message: cause.message, cause });
    throw cause;
  }
}
