// Compares two bundles, one comparison at a time: archives can be large, and comparing lines keeps the processor busy.
import type { Readable } from 'node:stream';
import { ApiError, errors } from '@pressroom/api/contract';
import { compareArchives, type ArchiveChanges } from '@pressroom/api/publish';
import pLimit from 'p-limit';

/** Time limit for reading the archives, in milliseconds. */
const PATIENCE_MS = 60_000;
const limit = pLimit(1);

/** @throws ApiError 135 for an archive that cannot be read */
export function compareBundles(
  open: (which: 'before' | 'after') => Promise<Readable>,
): Promise<ArchiveChanges> {
  return limit(async () => {
    try {
      return await compareArchives(open, { signal: AbortSignal.timeout(PATIENCE_MS) });
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      throw errors.bundleNotExtracted({ message: 'one of the archives cannot be read', cause });
    }
  });
}
