// The events that somebody asks for access or for a role, what was decided, or that nobody did in time.
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import { appendEvent } from './store.ts';

export interface SentRequest {
  /** Of the request for access; the GUID of the account for a role. */
  readonly id: string;
  readonly message: string | null;
  /** What was granted; null before and for a decline. */
  readonly role: 'viewer' | 'owner' | 'publisher' | null;
  /** Who asks. */
  readonly user: SentPerson;
  /** Who could decide when it was asked, the first 20; empty for decisions. */
  readonly deciders: readonly Omit<SentPerson, 'name'>[];
}

interface SentPerson {
  readonly guid: string;
  readonly username: string;
  readonly name: string;
}

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
}

/** In the transaction of what it tells. @param content the GUID; empty for a role */
export async function recordRequestEvent(
  tx: Executor,
  { config, clock }: Parts,
  type: `${'access' | 'role'}.${'asked' | 'granted' | 'declined' | 'expired'}`,
  { content, actor, request }: { content: string; actor: string; request: SentRequest },
): Promise<void> {
  if (config['Events.Webhooks'] === '') return;
  const now = clock.now();
  await appendEvent(tx, {
    type,
    time: now,
    started_time: now,
    task_id: '',
    content_guid: content,
    bundle_id: null,
    user_guid: actor,
    code: null,
    stages: '[]',
    job_key: null,
    reason: null,
    request: JSON.stringify(request),
  });
}

/** As in `Ada Lovelace (ada)`. */
export function sentPerson(row: {
  readonly guid: string;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
}): SentPerson {
  const full = `${row.first_name} ${row.last_name}`.trim();
  const name = full === '' ? row.username : `${full} (${row.username})`;
  return { guid: row.guid, username: row.username, name };
}
