// Builds a bundle from a directory as the clients do: with its own manifest, or a detected one.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { errors } from '@pressroom/api/contract';
import { BundleError, packBundle, type BundleFile } from '@pressroom/api/publish';
import { DEFAULT_ARCHIVE_LIMITS } from '../bundles/archive/index.ts';
import { readInThread } from '../bundles/read/read-in-thread.ts';
import { timerMs } from '../platform/clock.ts';
import type { FetchLimits } from './fetch-commit.ts';

/**
 * @param fetchLarge replaces pointers by large files
 * @throws ApiError 38 if the files make no bundle
 */
export async function makeBundle(
  root: string,
  limits: FetchLimits,
  signal: AbortSignal,
  print: (line: string) => void,
  fetchLarge: (files: readonly BundleFile[]) => Promise<unknown>,
): Promise<Readable> {
  const reading = { root, limits: { files: limits.entries, bytes: limits.unpacked }, versions: null };
  const bounds = { signal, limitMs: timerMs(limits.timeout) };
  try {
    const listed = await readInThread({ ...reading, isListed: true }, bounds);
    await fetchLarge(listed.files);
    // Read even if an ignore file excludes it.
    const own = await lstat(join(root, 'manifest.json')).catch(() => null);
    if (own !== null && own.size > DEFAULT_ARCHIVE_LIMITS.maxManifestBytes)
      throw errors.invalidManifest({ message: 'manifest.json is larger than 10 MiB' });
    const { files, warnings, built } = await readInThread({ ...reading, unknown: 'no manifest: ' }, bounds);
    if (built === null) throw errors.invalidManifest();
    const { manifest } = built;
    for (const warning of [...warnings, ...built.warnings]) print(`Warning: ${warning}`);
    print(`Made a bundle of ${files.length} files (${manifest.metadata.appmode})`);
    return packBundle({ root, files, manifest, signal }).stream;
  } catch (cause) {
    if (cause instanceof BundleError) throw errors.invalidManifest({ message: cause.message, cause });
    throw cause;
  }
}
