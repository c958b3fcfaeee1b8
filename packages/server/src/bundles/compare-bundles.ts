// Compares two bundles: one comparison at a time, because archives can be large, and lines in a worker thread.
import type { Readable } from 'node:stream';
import { ApiError, errors } from '@pressroom/api/contract';
import { type ArchiveChanges, readArchives } from '@pressroom/api/publish';
import { createQueue } from '../platform/queue.ts';
import { runInThread } from '../platform/run-in-thread.ts';

/** Milliseconds for reading the archives, and for comparing their files. */
const PATIENCE_MS = 60_000;
/** Next to this file, or next to the built one. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? 'compare-thread.ts' : 'compare-thread.mjs',
  import.meta.url,
);
/** A person's further comparisons wait until those of others had a turn. */
const queue = createQueue(1);

/**
 * @param person who asks
 * @throws ApiError 135 for an archive that cannot be read
 */
export function compareBundles(
  person: string,
  open: (which: 'before' | 'after') => Promise<Readable>,
): Promise<ArchiveChanges> {
  return queue.add(person, async () => {
    try {
      const archives = await readArchives(open, { signal: AbortSignal.timeout(PATIENCE_MS) });
      return await runInThread<ArchiveChanges>(THREAD, {
        workerData: archives,
        env: {},
        limitMs: PATIENCE_MS,
        failure: (isLate, cause) =>
          errors.bundleNotExtracted({
            message: isLate ? 'comparing them takes too long' : 'they cannot be compared',
            cause,
          }),
      });
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      throw errors.bundleNotExtracted({ message: 'one of the archives cannot be read', cause });
    }
  });
}
