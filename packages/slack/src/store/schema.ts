// The tables of the store as rows. Times are milliseconds since the epoch.

interface LinkTable {
  team: string;
  slack_user: string;
  slack_name: string;
  server_user: string;
  username: string;
  /** The API key, encrypted. */
  key_sealed: string;
  /** ID of the key on the server, where linking made it; null for a key that somebody pasted. */
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
  /** What makes the deploy one: its task, or the audit entry where no task is known. */
  deploy: string;
  task: string | null;
  content: string;
  title: string;
  url: string | null;
  bundle: string | null;
  who: string;
  via: string;
  /** Who started it in Slack. */
  slack_user: string | null;
  /** With whose rights the channel sees it: of the subscriber, or of whoever started it; null: of nobody. */
  reader: string | null;
  /** The bundle that was active when it started: where a rollback goes. */
  previous: string | null;
  state: 'running' | 'succeeded' | 'failed' | 'unknown';
  code: number;
  error: string;
  /** A Diagnosis as JSON. */
  cause: string | null;
  /** JSON. */
  last_lines: string;
  line_count: number;
  phase: number;
  /** Of the message of the release that it belongs to, where it was posted below that. */
  thread: string | null;
  /** Null until it is known to be posted. */
  ts: string | null;
  result_ts: string | null;
  file_done: 0 | 1;
  /** Nothing is posted unless it fails. */
  only_failures: 0 | 1;
  /** The state that the message shows. */
  edited_state: string;
  started_time: number;
  finished_time: number | null;
  created_time: number;
  /** The bot that takes care of it; until when the others leave it alone. */
  owner: string;
  lease_until: number;
}

export interface OutboxTable {
  /** What it is about: the same is posted once. */
  id: string;
  team: string;
  channel: string;
  /** The Slack user through whose rights it is shown, and the content that these are needed for. */
  reader: string | null;
  content: string | null;
  /** JSON. */
  message: string;
  created_time: number;
  /** Null while it waits. */
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
  /** Of the deploy that it belongs to. */
  thread: string | null;
  /** Of its message. */
  ts: string | null;
  created_time: number;
}

export interface ReleaseStepTable {
  team: string;
  channel: string;
  /** Of the event. */
  id: string;
  content: string;
  bundle: string;
  what:
    | 'preparing'
    | 'draft'
    | 'draft_failed'
    | 'held'
    | 'asked'
    | 'approved'
    | 'overridden'
    | 'live'
    | 'canary'
    | 'waiting'
    | 'back'
    | 'replaced';
  who: string;
  time: number;
  /** Of a canary, in the words of the server; of a draft, its address. */
  reason: string | null;
}

export interface RequestTable {
  team: string;
  /** Who may decide, and is told in direct messages. */
  slack_user: string;
  /** ID of the event by which the server told of it. */
  event: string;
  kind: 'access' | 'role';
  /** ID of the request; the GUID of the account for a role. */
  request: string;
  /** Null for a role. */
  content: string | null;
  /** Of the content; empty for a role. */
  title: string;
  url: string | null;
  /** Who asks, and why. */
  who: string;
  message: string | null;
  /** Of the message, and the channel that it is in. */
  ts: string | null;
  channel: string | null;
  state: 'asked' | 'granted' | 'declined' | 'expired';
  /** What was granted. */
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
  /** Joined with commas. */
  filters: string;
  quiet: string | null;
  /** Of quiet hours and digests. */
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
}
