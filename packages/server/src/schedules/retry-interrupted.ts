// After a stop of the only server: scheduled renders that it interrupted are due again. Their next time may be a week
// away.
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { MAX_INTERRUPTIONS, mayRetry } from '../tasks/interruptions.ts';
import { recentScheduledRenders } from '../tasks/store.ts';
import { allSchedules, DEFAULT_VARIANT, setNextTime } from './store.ts';

/** Several servers take over the tasks of each other instead. */
export async function retryInterruptedRenders({
  storage,
  clock,
}: {
  readonly storage: Storage;
  readonly clock: Clock;
}): Promise<void> {
  if (storage.isShared) return;
  await storage.write(async (tx) => {
    for (const schedule of await allSchedules(tx)) {
      const { content_guid, variant_key: key } = schedule;
      const variant = key === DEFAULT_VARIANT ? null : key;
      const renders = await recentScheduledRenders(tx, content_guid, variant, MAX_INTERRUPTIONS);
      if (mayRetry(renders)) await setNextTime(tx, schedule, clock.now());
    }
  });
}
