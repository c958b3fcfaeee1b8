// The event that content is unused and its owner is asked whether to keep it.
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { appendEvent } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
}

interface Unused {
  readonly guid: string;
  readonly owner_guid: string;
  readonly last: Micros | null;
  readonly last_deployed_time: Micros | null;
}

/** To be called in the transaction of the change. The actor is the owner; the start time is the last use. */
export async function recordUnusedEvent(
  tx: Executor,
  { config, clock }: Parts,
  { guid, owner_guid, last, last_deployed_time }: Unused,
): Promise<void> {
  if (config['Events.Webhooks'] === '') return;
  const now = clock.now();
  await appendEvent(tx, {
    type: 'content.unused',
    time: now,
    started_time: last ?? last_deployed_time ?? now,
    task_id: '',
    content_guid: guid,
    bundle_id: null,
    user_guid: owner_guid,
    code: null,
    stages: '[]',
    job_key: null,
    reason: null,
  });
}
