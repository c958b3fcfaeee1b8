// An audit entry as it leaves the server: in exports, and to receivers.
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
  /** Its place in the chain and its code: whoever keeps them elsewhere can tell that the log was put back. */
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
