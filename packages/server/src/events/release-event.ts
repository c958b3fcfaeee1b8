// Events of releases: approval requested, approved, overridden, stuck, or withdrawn; and that a draft ended.
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import { appendEvent, type Reason, reasonColumns } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
}

interface AboutBundle {
  readonly content_guid: string;
  readonly bundle_id: number;
  readonly user_guid: string;
  readonly reason?: Reason;
}

/** To be called in the transaction of the change, before its audit entry. */
export async function recordReleaseEvent(
  tx: Executor,
  { config, clock }: Parts,
  what: `release.${'asked' | 'approved' | 'overridden' | 'stuck' | 'withdrawn'}` | 'draft.ended',
  { content_guid, bundle_id, user_guid, reason }: AboutBundle,
): Promise<void> {
  if (config['Events.Webhooks'] === '') return;
  const now = clock.now();
  const about = { content_guid, bundle_id, user_guid, ...reasonColumns(reason) };
  await appendEvent(tx, { ...about, type: what, time: now, started_time: now });
}
