// Events of canaries: started, waiting for a decision, live, rolled back, replaced.
import { appendEvent, type Reason, reasonColumns } from '../events/store.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { CanaryRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
}

/**
 * To be called in the transaction of the change. @param actor who decided; if the server did, the person who deployed
 * it
 */
export async function recordCanaryEvent(
  tx: Executor,
  { config, clock }: Parts,
  what: 'started' | 'waiting' | 'live' | 'back' | 'replaced',
  canary: Pick<CanaryRow, 'content_guid' | 'bundle_id' | 'user_guid' | 'task_id'>,
  { actor, reason }: { readonly actor: string | null; readonly reason: Partial<Reason> | null },
): Promise<void> {
  if (config['Events.Webhooks'] === '') return;
  const now = clock.now();
  const { content_guid, bundle_id, user_guid, task_id } = canary;
  await appendEvent(tx, {
    type: `canary.${what}`,
    time: now,
    started_time: now,
    task_id,
    content_guid,
    bundle_id,
    user_guid: actor ?? user_guid,
    ...reasonColumns(reason),
  });
}
