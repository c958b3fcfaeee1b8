// MD5 of all listed files, for manifests.
import { createHash, hash } from 'node:crypto';
import type { BundleFile } from './bundle-file.ts';
import { mapLimited } from './concurrency.ts';
import { changed, closeFile, openListed, readFully, verifyListed } from './open-file.ts';
import { createSmallFileReader, isSmall } from './small-files.ts';

const CHUNK_BYTES = 1024 * 1024;
/** One file is read while another is hashed. */
const BIG_AT_ONCE = 2;

export interface HashProgress {
  files: number;
  totalFiles: number;
  bytes: number;
  totalBytes: number;
}

/**
 * Hex MD5 by path. `root` must be resolved. Memory is bounded. Throws BundleError like `packBundle`, or the signal's
 * reason, with no descriptor left open.
 */
export async function hashFiles(
  root: string,
  files: readonly BundleFile[],
  options: { signal?: AbortSignal; onProgress?: (progress: HashProgress) => void } = {},
): Promise<Map<string, string>> {
  const { signal, onProgress } = options;
  const sums = new Map<string, string>();
  const progress = {
    files: 0,
    totalFiles: files.length,
    bytes: 0,
    totalBytes: files.reduce((sum, file) => sum + file.size, 0),
  };
  let reported = 0;
  function count(bytes: number): void {
    progress.bytes += bytes;
    if (progress.bytes - reported < CHUNK_BYTES && progress.files < progress.totalFiles) return;
    reported = progress.bytes;
    onProgress?.({ ...progress });
  }
  const reader = createSmallFileReader(root, files);
  try {
    for (const [index, file] of files.entries()) {
      if (!isSmall(file)) continue;
      signal?.throwIfAborted();
      sums.set(file.path, hash('md5', await reader.read(index), 'hex'));
      progress.files += 1;
      count(file.size);
    }
  } finally {
    await reader.close();
  }
  const big = files.filter((file) => !isSmall(file));
  await mapLimited(big, BIG_AT_ONCE, signal, async (file) => {
    sums.set(file.path, await hashBig(root, file, signal, count));
    progress.files += 1;
    count(0);
  });
  return sums;
}

async function hashBig(
  root: string,
  file: BundleFile,
  signal: AbortSignal | undefined,
  count: (bytes: number) => void,
): Promise<string> {
  const descriptor = await openListed(root, file);
  try {
    const md5 = createHash('md5');
    const buffer = Buffer.allocUnsafe(Math.min(file.size, CHUNK_BYTES));
    for (let position = 0; position < file.size; position += buffer.length) {
      signal?.throwIfAborted();
      const wanted = Math.min(buffer.length, file.size - position);
      if ((await readFully(descriptor, buffer, 0, wanted, position)) < wanted) throw changed(file.path);
      md5.update(wanted === buffer.length ? buffer : buffer.subarray(0, wanted));
      count(wanted);
    }
    await verifyListed(descriptor, file);
    return md5.digest('hex');
  } finally {
    await closeFile(descriptor);
  }
}
