// Events of requests for access or a role: made, decided, or expired.
import type { Config } from '../main/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import { appendEvent } from './store.ts';

export interface SentRequest {
  /** Id of the request for access; the GUID of the account for a role. */
  readonly id: string;
  readonly message: string | null;
  /** The granted role; null before a decision and if declined. */
  readonly role: 'viewer' | 'owner' | 'publisher' | null;
  /** The requester. */
  readonly user: SentPerson;
  /** People who could decide at the time of the request, the first 20; empty for decisions. */
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

/** To be called in the transaction of the change. @param content GUID; empty for a role */
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
    content_guid: content,
    user_guid: actor,
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
