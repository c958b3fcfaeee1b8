// The event of a process of content that crashed.
import { findContent } from '../content/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Crash } from '../runtime/follow-process.ts';
import { appendEvent, reasonColumns } from './store.ts';

/** Microseconds between two events of content that crashes at every visit. */
const EACH = 60_000_000;

export function createCrashRecorder(
  storage: Pick<Storage, 'write'>,
  clock: Clock,
): (crash: Crash) => Promise<void> {
  const last = new Map<string, number>();
  return async ({ contentGuid, bundleId, key, ending, isDraft }) => {
    // Only for live content.
    if (isDraft) return;
    const now = clock.now();
    // The clock may have been set back.
    for (const [guid, time] of last) if (time > now || now - time >= EACH) last.delete(guid);
    if (last.has(contentGuid)) return;
    last.set(contentGuid, now);
    await storage.write(async (tx) => {
      const content = await findContent(tx, contentGuid);
      if (!content) return;
      await appendEvent(tx, {
        time: now,
        type: 'process.crashed',
        content_guid: contentGuid,
        bundle_id: bundleId,
        user_guid: content.owner_guid,
        code: ending.code ?? 1,
        started_time: now,
        job_key: key,
        ...reasonColumns({ text: ending.message, ...ending.why }),
      });
    });
  };
}
