// After a stop of the only server: scheduled renders that it interrupted are due again. Their next time may be a week
// away.
import { MAX_INTERRUPTIONS, mayRetry, type RetryParts } from '../tasks/interruptions.ts';
import { recentScheduledRenders } from '../tasks/store.ts';
import { allSchedules, DEFAULT_VARIANT, setNextTime } from './store.ts';

export async function retryInterruptedRenders({ storage, clock }: RetryParts): Promise<void> {
  await storage.write(async (tx) => {
    for (const schedule of await allSchedules(tx)) {
      const { content_guid, variant_key: key } = schedule;
      const variant = key === DEFAULT_VARIANT ? null : key;
      const renders = await recentScheduledRenders(tx, content_guid, variant, MAX_INTERRUPTIONS);
      if (mayRetry(renders)) await setNextTime(tx, schedule, clock.now());
    }
  });
}
