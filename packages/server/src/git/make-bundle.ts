// Makes the archive of a bundle of a directory, as the clients do: with its manifest, or one by what the files are.
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
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
import type { FetchLimits } from './fetch-commit.ts';

const POINTER = Buffer.from('version https://git-lfs.github.com/spec/');
/** Bytes of a file in place of a large one, at most. */
const POINTER_BYTES = 1024;

/** @throws ApiError 38 for what makes no bundle */
export async function makeBundle(
  root: string,
  limits: FetchLimits,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<Readable> {
  try {
    const collected = await collectFiles(root, {
      limits: { files: limits.entries, bytes: limits.unpacked },
      signal,
    });
    await refusePointers(root, collected.files);
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

/** A pointer in place of a data file would break the content in ways that nobody understands. */
async function refusePointers(root: string, files: readonly BundleFile[]): Promise<void> {
  for (const { path, size } of files) {
    if (size < POINTER.length || size > POINTER_BYTES) continue;
    if ((await readFile(join(root, path))).subarray(0, POINTER.length).equals(POINTER))
      throw errors.invalidManifest({ message: `${path} is kept with Git LFS, which is not fetched` });
  }
}
