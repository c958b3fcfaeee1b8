// Events of content: it was deleted, or is unused and its owner is asked whether to keep it.
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { appendEvent } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
}

interface ContentEvent {
  readonly content_guid: string;
  readonly user_guid: string;
  /** The time of the event by default. */
  readonly started_time?: Micros | null;
}

/**
 * To be called in the transaction of the change, before its audit entry. For deleted content, the actor deleted it; for
 * unused content it is the owner, and the start time is the last use.
 */
export async function recordContentEvent(
  tx: Executor,
  { config, clock }: Parts,
  what: 'deleted' | 'unused',
  { content_guid, user_guid, started_time = null }: ContentEvent,
): Promise<void> {
  if (config['Events.Webhooks'] === '') return;
  const now = clock.now();
  await appendEvent(tx, {
    type: `content.${what}`,
    time: now,
    started_time: started_time ?? now,
    content_guid,
    user_guid,
  });
}
