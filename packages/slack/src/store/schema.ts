// The tables of the store as rows. Times are milliseconds since the epoch.

import type { TaskEndReason } from '@pressroom/api/contract';

interface LinkTable {
  team: string;
  slack_user: string;
  slack_name: string;
  server_user: string;
  username: string;
  /** The API key, encrypted. */
  key_sealed: string;
  /** ID of the key on the server, if created by linking; null for a pasted key. */
  key_id: string | null;
  created_time: number;
}

interface InstallationTable {
  id: string;
  sealed: string;
  updated_time: number;
}

interface PendingTable {
  id: string;
  team: string;
  slack_user: string;
  channel: string;
  line: string;
  response_url: string;
  created_time: number;
}

export interface NoticeTable {
  id: string;
  team: string;
  channel: string;
  /** Identifies the deploy: its task, or the audit entry if no task is known. */
  deploy: string;
  task: string | null;
  content: string;
  title: string;
  url: string | null;
  bundle: string | null;
  who: string;
  via: string;
  /** The Slack user who started it. */
  slack_user: string | null;
  /** Whose rights the channel sees it with: the subscriber's, or the starter's; null for nobody's. */
  reader: string | null;
  /** The active bundle at its start: the target of a rollback. */
  previous: string | null;
  state: 'running' | 'succeeded' | 'failed' | 'unknown';
  /** Why it failed early; null otherwise. */
  end_reason: TaskEndReason | null;
  code: number;
  error: string;
  /** A Diagnosis as JSON. */
  cause: string | null;
  /** JSON. */
  last_lines: string;
  line_count: number;
  phase: number;
  /** Timestamp of its release's message, if posted in that thread. */
  thread: string | null;
  /** Null until it is known to be posted. */
  ts: string | null;
  result_ts: string | null;
  file_done: 0 | 1;
  /** Nothing is posted unless it fails. */
  only_failures: 0 | 1;
  /** The state shown in the message. */
  edited_state: string;
  started_time: number;
  finished_time: number | null;
  created_time: number;
  /** The owning bot, and the end of its lease. */
  owner: string;
  lease_until: number;
}

export interface OutboxTable {
  /** Its subject: the same is posted once. */
  id: string;
  team: string;
  channel: string;
  /** The Slack user whose rights it is shown with, and the content they must be able to see. */
  reader: string | null;
  content: string | null;
  /** JSON. */
  message: string;
  created_time: number;
  /** Null while pending. */
  done_time: number | null;
  owner: string;
  lease_until: number;
  not_before: number;
  failures: number;
}

export interface ReleaseTable {
  team: string;
  channel: string;
  content: string;
  bundle: string;
  title: string;
  url: string | null;
  /** Timestamp of its deploy's message. */
  thread: string | null;
  /** Timestamp of its message. */
  ts: string | null;
  /** Event id of the last step when its message was posted. */
  posted_step: string | null;
  created_time: number;
}

export interface ReleaseStepTable {
  team: string;
  channel: string;
  /** Event id. */
  id: string;
  content: string;
  bundle: string;
  what:
    | 'preparing'
    | 'draft'
    | 'draft_failed'
    | 'draft_cancelled'
    | 'draft_ended'
    | 'held'
    | 'asked'
    | 'approved'
    | 'overridden'
    | 'live'
    | 'canary'
    | 'waiting'
    | 'back'
    | 'replaced'
    | 'withdrawn'
    | 'left';
  who: string;
  time: number;
  /** The server's reason; for a draft, its address. */
  reason: string | null;
  /** The reason's code, if it has one. */
  reason_code: string | null;
  /** What the code does not say, in words of a person or a program. */
  reason_detail: string | null;
  /** The deploy that got the draft or canary ready. */
  draft_task: string | null;
  /** GUID of the account that acted. */
  actor: string | null;
}

export interface RequestTable {
  team: string;
  /** Who may decide, and gets direct messages. */
  slack_user: string;
  /** ID of the server's event. */
  event: string;
  kind: 'access' | 'role';
  /** ID of the request; the GUID of the account for a role. */
  request: string;
  /** Null for a role. */
  content: string | null;
  /** Title of the content; empty for a role. */
  title: string;
  url: string | null;
  /** The requester, and the reason. */
  who: string;
  message: string | null;
  /** Timestamp of the message, and its channel. */
  ts: string | null;
  channel: string | null;
  state: 'asked' | 'granted' | 'declined' | 'expired';
  /** The granted role. */
  role: string | null;
  decided_by: string;
  /** ID of the event. */
  decided_event: string | null;
  decided_time: number | null;
  created_time: number;
}

interface EditTable {
  id: string;
  team: string;
  time: number;
}

interface ClickTable {
  id: string;
  slack_user: string;
  slack_name: string;
  time: number;
  task: string | null;
}

export interface SubscriptionTable {
  team: string;
  channel: string;
  content: string;
  title: string;
  /** Comma-separated. */
  filters: string;
  quiet: string | null;
  /** Time zone of quiet hours and digests. */
  zone: string;
  digest_hour: number;
  slack_user: string;
  slack_name: string;
  created_time: number;
  digest_time: number;
}

interface CursorTable {
  id: string;
  position: string;
}

interface ClosedChannelTable {
  team: string;
  channel: string;
  /** Slack's error code. */
  word: string;
  check_time: number;
  /** Whether Slack said so itself, an hour later: nothing is posted there. */
  confirmed: 0 | 1;
}

interface EventTable {
  id: string;
  time: number;
}

export interface Schema {
  slack_link: LinkTable;
  slack_installation: InstallationTable;
  slack_pending: PendingTable;
  slack_notice: NoticeTable;
  slack_outbox: OutboxTable;
  slack_release: ReleaseTable;
  slack_release_step: ReleaseStepTable;
  slack_request: RequestTable;
  slack_edit: EditTable;
  slack_click: ClickTable;
  slack_subscription: SubscriptionTable;
  slack_cursor: CursorTable;
  slack_event: EventTable;
  slack_closed_channel: ClosedChannelTable;
}
