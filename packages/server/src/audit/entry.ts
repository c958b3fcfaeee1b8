// An audit entry in exports and in messages to receivers.
import { toTimestamp } from '../platform/clock.ts';
import type { AuditRow } from './store.ts';

export interface SentEntry {
  readonly id: string;
  readonly time: string;
  readonly user_id: string;
  readonly user_description: string;
  readonly action: string;
  readonly event_description: string;
  readonly content_guid: string | null;
  readonly bundle_id: string | null;
  readonly task_id: string | null;
  readonly slack_user: string | null;
  /** Its place in the chain and its code, so that a receiver can detect a log that was set back. */
  readonly seq: number | null;
  readonly mac: string | null;
}

export function sentEntry(row: AuditRow): SentEntry {
  const { id, time, user_id, user_description, action, event_description, content_guid, seq, mac } = row;
  const { bundle_id, task_id, slack_user } = row;
  return {
    id: String(id),
    time: toTimestamp(time),
    user_id,
    user_description,
    action,
    event_description,
    content_guid,
    bundle_id: bundle_id === null ? null : String(bundle_id),
    task_id,
    slack_user,
    seq,
    mac,
  };
}
