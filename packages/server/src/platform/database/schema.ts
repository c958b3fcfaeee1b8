// Types of the tables. Ids are text, times epoch microseconds, booleans 0 or 1, on both engines.
import type { TaskEndReason } from '@pressroom/api/contract';
import type { Generated } from 'kysely';

/** Microseconds since the epoch. */
export type Micros = number;
export type Bit = 0 | 1;

export interface UserTable {
  guid: string;
  username: string;
  /** Username in lower case: unique. */
  username_key: string;
  email: string;
  first_name: string;
  last_name: string;
  /** Lower case, for search and order. */
  first_name_key: string;
  last_name_key: string;
  user_role: 'administrator' | 'publisher' | 'viewer';
  password_hash: string | null;
  must_set_password: Bit;
  confirmed: Bit;
  locked: Bit;
  unique_id: string | null;
  created_time: Micros;
  updated_time: Micros;
  active_time: Micros | null;
}

/** A portion of the sorted list of users: those from its start to the next one. The first starts with empty keys. */
export interface UserPortionTable {
  id: Generated<number>;
  first_name_key: string;
  last_name_key: string;
  username_key: string;
  email: string;
  guid: string;
  /** How many users. */
  n: number;
}

export interface ApiKeyTable {
  id: Generated<number>;
  user_guid: string;
  name: string;
  key_hash: string;
  /** For a key created for one content item. */
  content_guid: string | null;
  created_time: Micros;
  last_used_time: Micros | null;
  /** For a revoked content key: the row stays, so that the key is not created again. */
  revoked_time: Micros | null;
  /** Maximum role of requests with this key; null for its owner's role. */
  role: UserTable['user_role'] | null;
  expires_time: Micros | null;
  /** For a program that signs its requests: DER in base64. Then `key_hash` is of the token's name, which is no key. */
  public_key: string | null;
  /** The trusted publisher that got it, and its run. */
  publisher_id: number | null;
  pipeline: string | null;
  /** 1: cannot make anything live. */
  drafts_only: number | null;
  /** For a visitor API key: the content item that acts for the person, and the session or API key of the visit. */
  visited_guid: string | null;
  session_hash: string | null;
  parent_id: number | null;
}

/** A CI pipeline that may deploy a content item with its own token, and the rights of a user. */
export interface TrustedPublisherTable {
  id: Generated<number>;
  content_guid: string;
  user_guid: string;
  issuer: string;
  /** `owner/name`, in lower case. */
  repository: string;
  /** The CI's number, from its first token, so that nobody can take over the name. */
  repository_id: string | null;
  branch: string | null;
  environment: string | null;
  drafts_only: number;
  created_time: Micros;
  last_used_time: Micros | null;
}

/** A request for access to content: at most one per person and item. */
export interface AccessRequestTable {
  id: Generated<number>;
  content_guid: string;
  user_guid: string;
  message: string | null;
  created_time: Micros;
  /** 1: closed, and kept only so that it cannot be repeated at once. */
  declined: Generated<Bit>;
}

/** A viewer's request to become a publisher. */
export interface RoleRequestTable {
  user_guid: string;
  message: string | null;
  created_time: Micros;
  declined: Bit;
}

/** Exchanged CI tokens: each can be used once. */
export interface UsedCiTokenTable {
  token_hash: string;
  expires_time: Micros;
}

/** Networks that a key was used from. */
export interface ApiKeyNetworkTable {
  api_key_id: number;
  network: string;
  first_time: Micros;
}

export interface SessionTable {
  token_hash: string;
  user_guid: string;
  xsrf: string;
  created_time: Micros;
  active_time: Micros;
  expires_time: Micros;
  /** Where the session started, and with which program. */
  address: string;
  agent: string;
}

/** A link to set a password, once. */
export interface PasswordLinkTable {
  token_hash: string;
  user_guid: string;
  /** The address it was mailed to; null if an administrator got it. */
  mailed_to: string | null;
  created_time: Micros;
  expires_time: Micros;
}

/** The shared secret of an authenticator app. */
export interface TotpTable {
  user_guid: string;
  /** Encrypted, with context `totp {user_guid}`. */
  secret: string;
  /** The newest time step used, so that no code is accepted twice. */
  last_step: number;
  created_time: Micros;
  /** Wrong codes since the last right one. */
  failures: Generated<number>;
}

export interface RecoveryCodeTable {
  code_hash: string;
  user_guid: string;
}

export interface PasskeyTable {
  /** Credential id, in base64url. */
  id: string;
  user_guid: string;
  name: string;
  /** COSE, in base64url. */
  public_key: string;
  counter: number;
  /** Comma-separated. */
  transports: string;
  created_time: Micros;
  last_used_time: Micros | null;
}

/** A session on the origin of one content item. It ends with the session it came from. */
export interface ContentSessionTable {
  token_hash: string;
  session_hash: string;
  content_guid: string;
  created_time: Micros;
}

/** One-time values that were used, such as responses of identity providers. */
export interface SpentTable {
  id: string;
  expires_time: Micros;
}

/** A public key that waits to be claimed by a person. */
export interface SignInTokenTable {
  token_hash: string;
  public_key: string;
  client_name: string;
  /** Address it was registered from, and the network for rate limits. */
  address: string;
  network: string;
  created_time: Micros;
  expires_time: Micros;
  denied: Bit;
}

/** A program that waits for approval in the browser. */
export interface DeviceSignInTable {
  device_hash: string;
  user_code_hash: string;
  client_name: string;
  /** Address of the request, and the network for rate limits. */
  address: string;
  network: string;
  created_time: Micros;
  expires_time: Micros;
  /** Minimum seconds between polls, and the last poll that respected it. */
  poll_seconds: number;
  polled_time: Micros;
  decision: 'allowed' | 'denied' | null;
  /** Who decided. */
  user_guid: string | null;
  /** What the program gets: an API key of the person, or one backup. */
  purpose: 'sign_in' | 'backup';
  /** Owner of the API key used; null without one. */
  asked_by: string | null;
}

export interface GroupTable {
  guid: string;
  name: string;
  name_key: string;
  owner_guid: string | null;
  unique_id: string | null;
  created_time: Micros;
}

export interface GroupMemberTable {
  group_guid: string;
  user_guid: string;
  /** As in `user_account`, by which members are sorted; kept by triggers. */
  first_name_key: Generated<string>;
  last_name_key: Generated<string>;
  username_key: Generated<string>;
  email: Generated<string>;
}

export interface ContentTable {
  guid: string;
  name: string;
  title: string | null;
  description: string;
  access_type: 'all' | 'logged_in' | 'acl';
  owner_guid: string;
  app_mode: string;
  /** The manifest's `appmode`: several kinds share an `app_mode`. Null until the first deploy. */
  kind: string | null;
  content_category: string;
  has_parameters: Bit;
  bundle_id: number | null;
  /** Directory of the active deploy below the content's own. */
  site: string | null;
  /** How its processes start, as JSON: see runtime/applications. Null for content without processes. */
  launch: string | null;
  /** The current rendering, and its variant. Null for content that is not rendered. */
  rendering_id: number | null;
  variant_key: string | null;
  /** Directory of the packages it was rendered with, unless the system's sufficed; `launch` has it for applications. */
  restored: string | null;
  r_version: string | null;
  py_version: string | null;
  connection_timeout: number | null;
  read_timeout: number | null;
  init_timeout: number | null;
  idle_timeout: number | null;
  max_processes: number | null;
  min_processes: number | null;
  max_conns_per_process: number | null;
  load_factor: number | null;
  run_as: string | null;
  git_managed: Bit;
  created_time: Micros;
  last_deployed_time: Micros | null;
  /** Locked content is visible to collaborators only; others see a message. */
  locked: Generated<Bit>;
  locked_message: Generated<string>;
  /** Hides the bar from collaborators. */
  hide_bar: Generated<Bit>;
  /** Whether everybody who may view a document may render it with their own values. */
  visitors_may_render: Generated<Bit>;
  /** Maximum role of API keys that it gets for its visitors; null for none. */
  visitor_role: Exclude<UserTable['user_role'], 'administrator'> | null;
  /** When that was decided. */
  visitor_role_time: Micros | null;
}

/** A document with a set of parameter values. */
export interface VariantTable {
  variant_key: string;
  content_guid: string;
  /** Null for one that a visitor rendered; likewise its comparison form. */
  name: string | null;
  name_key: string | null;
  visibility: 'public' | 'private';
  /** JSON by parameter name, checked against the declaration. */
  parameter_values: string;
  user_guid: string;
  /** The current or last render task. */
  task_id: string | null;
  /** Directory of its rendering below the content's; null before the first one, like the following. */
  site: string | null;
  bundle_id: number | null;
  rendering_id: number | null;
  rendered_time: Micros | null;
  created_time: Micros;
  /** Null for no expiry. */
  expires_time: Micros | null;
}

/** A held rendering of a variant that nobody has decided on. */
export interface HeldRenderingTable {
  variant_key: string;
  content_guid: string;
  bundle_id: number;
  /** Its directory below the content's. */
  site: string;
  task_id: string;
  /** As in a rendering, like the following. */
  parameter_values: string;
  mail: string | null;
  /** For people. */
  reason: string;
  created_time: Micros;
}

export interface PermissionTable {
  id: Generated<number>;
  content_guid: string;
  principal_guid: string;
  principal_type: 'user' | 'group';
  role: 'owner' | 'viewer';
  /** Null for no expiry. */
  expires_time: Generated<Micros | null>;
}

export interface EnvironmentTable {
  content_guid: string;
  name: string;
  /** Encrypted; never leaves the server. */
  value: string;
}

export interface VanityTable {
  content_guid: string;
  path: string;
  path_key: string;
  created_time: Micros;
}

export interface BundleTable {
  id: Generated<number>;
  content_guid: string;
  created_time: Micros;
  created_by: string;
  size: number;
  md5: string;
  manifest: string;
  /** Of the archive, in hex; null for older ones. */
  sha1: string | null;
  /** Name of its archive in an S3 store; null if it is named by id. */
  blob: string | null;
  r_version: string | null;
  py_version: string | null;
  /** When it last became active; null for never. */
  deployed_time: Micros | null;
  /** JSON of declared parameters; null before the first rendering, and for other content. */
  parameters: Generated<string | null>;
  /** JSON of its commit; null for an upload. */
  source: Generated<string | null>;
  /** Whether content uploaded it, with its own key or that of a visitor: who wrote it is not known. */
  of_content: Generated<Bit>;
}

/** The repository of a content item. */
export interface RepositoryTable {
  content_guid: string;
  /** User with whose rights commits are deployed. */
  user_guid: string;
  url: string;
  branch: string;
  directory: string;
  polling: Bit;
  /** Sent with the token; null for `git`. */
  username: string | null;
  /** Encrypted. */
  token: string | null;
  /** Secret of the webhook, encrypted. */
  secret: string;
  /** Private key for ssh, encrypted, and the public key line. */
  ssh_key: string | null;
  public_key: string | null;
  /** Host keys: trusted by the owner, and last offered; one per line, type and base64. */
  host_keys: string | null;
  offered_keys: string | null;
  /** Last commit tried, with any result. */
  last_commit: string | null;
  /** Why the last deploy of a commit failed. */
  last_error: string | null;
  /** Why it cannot be read now. */
  fetch_error: string | null;
  fetched_time: Micros | null;
  /** Time of the next poll; null for only on push. */
  look_time: Micros | null;
  created_time: Micros;
}

export interface TagTable {
  id: Generated<number>;
  name: string;
  name_key: string;
  /** Null for a category. */
  parent_id: number | null;
  created_time: Micros;
  updated_time: Micros;
}

/** What searches look at. A trigger adds the row with the content, and empties it when the texts change. */
export interface ContentTextTable {
  content_guid: string;
  /** Name, title and description, a line each, in lower case; null until a server has written it. */
  lowercase: string | null;
}

export interface ContentTagTable {
  content_guid: string;
  tag_id: number;
}

/** A period in which nobody deploys the content. */
export interface DeployLockTable {
  content_guid: string;
  reason: string;
  /** Null for no end. */
  until: Micros | null;
  user_guid: string;
  created_time: Micros;
}

/** A bundle deployed without becoming active. */
export interface DraftTable {
  bundle_id: number;
  content_guid: string;
  /** Name of its preview; null for none. */
  name: string | null;
  /** Directory, as in a deploy. */
  site: string;
  /** JSON for its activation. */
  prepared: string;
  /** Somebody has named it to make it live, or was asked to: it goes live however much it shrank. */
  reviewed: Generated<Bit>;
  /** Its deploy task. */
  task_id: string;
  user_guid: string;
  /** When its deploy was requested: the latest one has the preview name. */
  asked_time: Micros;
  created_time: Micros;
  expires_time: Micros;
}

/** Share, length and end conditions of a canary. */
interface CanaryLimits {
  /** Percentage of new sessions. */
  share: number;
  /** Seconds. */
  length: number;
  /** Percentage points by which its failure rate may exceed the live bundle's. */
  error_limit: number;
  /** Percentage by which requests may be slower; 0 for no limit. */
  slow_limit: number;
  /** Requested periodically; null for none. */
  health_path: string | null;
  /** Whether a person must make it live. */
  waits: Bit;
}

/** Makes every new bundle of the content start as a canary. */
export interface CanaryRuleTable extends CanaryLimits {
  content_guid: string;
  /** Percentage by which a rendering may be smaller than the current one; null for no limit. */
  shrink_limit: Generated<number | null>;
  user_guid: string;
  created_time: Micros;
}

/** A bundle that takes a share of new sessions before it goes live. */
export interface CanaryTable extends CanaryLimits {
  id: Generated<number>;
  content_guid: string;
  bundle_id: number;
  /** The live bundle at its start. */
  live_bundle: number;
  /** Tasks that deploy it as a draft and make it live; null while there is none. */
  task_id: string;
  finish_task: string | null;
  user_guid: string;
  /** The last four have ended. */
  state: 'preparing' | 'running' | 'waiting' | 'finishing' | 'live' | 'back' | 'replaced' | 'failed';
  created_time: Micros;
  started_time: Micros | null;
  decided_time: Micros | null;
  /** Who decided; null for the server. */
  decided_by: string | null;
  reason: string | null;
}

/** Figures of one side, counted by one run of a server. */
export interface CanaryFiguresTable {
  canary_id: number;
  source: string;
  side: 'live' | 'canary';
  /** JSON. */
  figures: string;
}

/** Number of approvals a bundle needs to go live. */
export interface ApprovalRuleTable {
  content_guid: string;
  approvals: number;
  user_guid: string;
  created_time: Micros;
}

/** Approvers named by a rule; without rows, every collaborator. */
export interface ApproverTable {
  content_guid: string;
  principal_guid: string;
  principal_type: 'user' | 'group';
  /** Name when the rule was set: it may be deleted since. */
  name: string;
}

/** A bundle that goes live once it is approved. */
export interface ReleaseTable {
  bundle_id: number;
  content_guid: string;
  /** The requester. */
  user_guid: string;
  created_time: Micros;
  /** When it last went live; null while pending. */
  released_time: Micros | null;
  /** Who overrode the approvals, and why. */
  override_by: string | null;
  override_reason: string | null;
  /** Since when too few people may approve it, once announced; null while enough may. */
  stuck_time: Micros | null;
}

export interface ApprovalTable {
  bundle_id: number;
  user_guid: string;
  created_time: Micros;
}

/** The thumbnail of a content item. */
export interface ThumbnailTable {
  content_guid: string;
  /** Such as image/png. */
  type: string;
  /** In base64. */
  data: string;
  /** A screenshot taken by the server after a deploy; uploads take precedence. */
  taken: Generated<Bit>;
}

export interface TaskTable {
  id: string;
  kind: string;
  content_guid: string | null;
  bundle_id: number | null;
  user_guid: string;
  finished: Bit;
  code: number;
  error: string;
  /** Why it ended early; null if it did not. */
  end_reason: TaskEndReason | null;
  /** Lines of output so far. */
  lines: number;
  /** JSON list of stages so far: name, first line, time. */
  stages: Generated<string>;
  node: string;
  lease_until: Micros;
  created_time: Micros;
  finished_time: Micros | null;
  /** Variant to render; null for others. */
  variant_key: Generated<string | null>;
  /** Whether its rendering is mailed. */
  mails: Generated<Bit>;
  /** Preview that gets its draft. */
  preview: Generated<string | null>;
  /** Whether its turn has come, with several servers. */
  begun: Generated<Bit>;
  /** Increases with each takeover by another server. */
  attempt: Generated<number>;
  /** Number of servers lost while running it. */
  losses: Generated<number>;
}

/** Live servers of a database. */
export interface ServerLifeTable {
  node: string;
  beat: number;
  /** Stays the same after a restart; null for a server of an older version. */
  name: string | null;
}

/** A drained server. */
export interface DrainedServerTable {
  /** Empty for all servers. */
  name: string;
  drained_time: Micros;
  /** Username. */
  drained_by: string;
}

/** A process of a content item in a cluster, from before its start to its end. */
export interface ProcessPlaceTable {
  key: string;
  content_guid: string;
  site: string;
  node: string;
}

/** Totals of visits of a past day. */
export interface UsageDayTable {
  /** Days since the epoch, in UTC. */
  day: number;
  content_guid: string;
  /** Empty for anonymous visitors. */
  user_guid: string;
  visits: number;
}

/** A day whose visits are all counted in `usage_day`. */
export interface UsageRolledDayTable {
  day: number;
}

/** Failed sign-in attempts, shared by several servers. */
export interface GuessTable {
  /** Keyed hash of what the attempts have in common. */
  place: string;
  failures: number;
  /** The last attempt. */
  last: Micros;
  /** When the last delayed attempt may proceed, and on which server. */
  next: Micros;
  node: string;
}

export interface TaskOutputTable {
  task_id: string;
  line: number;
  body: string;
}

export interface AuditTable {
  id: Generated<number>;
  time: Micros;
  user_id: string;
  user_description: string;
  action: string;
  event_description: string;
  /** Subject of the entry. */
  content_guid: string | null;
  bundle_id: number | null;
  task_id: string | null;
  /** The Slack user who asked the bot. */
  slack_user: string | null;
  /** Position in the chain, from 1 without gaps; null for older entries. */
  seq: number | null;
  /** Code over this entry and the code of the one before. */
  mac: string | null;
}

/** The end of the audit chain, and its start after removals. */
export interface AuditHeadTable {
  name: 'audit' | 'start';
  seq: number;
  mac: string;
  seal: string;
}

/** Position of a receiver of audit entries. */
export interface AuditCursorTable {
  sink: string;
  id: number;
}

/** The outbox of events, until every receiver has them. */
export interface OutgoingEventTable {
  /** In commit order. */
  id: number;
  time: Micros;
  type:
    | `${'deploy' | 'draft' | 'render'}.${'started' | 'finished'}`
    | 'draft.ended'
    | `release.${'asked' | 'approved' | 'overridden' | 'stuck' | 'withdrawn'}`
    | `canary.${'started' | 'waiting' | 'live' | 'back' | 'replaced'}`
    | `${'access' | 'role'}.${'asked' | 'granted' | 'declined' | 'expired'}`
    | 'process.crashed'
    | `${'draft' | 'render'}.held`
    | 'content.deleted'
    | 'content.unused';
  /** Empty for a process. */
  task_id: string;
  /** Empty without a content item. */
  content_guid: string;
  bundle_id: number | null;
  /** Active bundle of the content at the time. */
  active_bundle: number | null;
  user_guid: string;
  /** Null while it runs. */
  code: number | null;
  /** JSON. */
  stages: string;
  started_time: Micros;
  /** The crashed process. */
  job_key: string | null;
  /** Why it ended, or was withdrawn. */
  reason: string | null;
  /** The same for programs, if the reason is among these. */
  reason_code: Generated<ReasonCode | null>;
  /** What the code does not say, in words of a person or a program. */
  reason_detail: Generated<string | null>;
  /** JSON of the request for access or a role. */
  request: Generated<string | null>;
  /** JSON of the rendering's variant. */
  rendering: Generated<string | null>;
}

export type ReasonCode =
  | 'discarded'
  | 'expired'
  | 'bundle_deleted'
  | 'content_deleted'
  | 'other_preview'
  | 'other_release'
  | 'not_needed'
  | 'other_canary'
  | 'other_live'
  | 'rolled_back'
  | 'requests_failed'
  | 'scripts_failed'
  | 'processes_ended'
  | 'unhealthy'
  | 'slow'
  | 'not_made_live'
  | 'rule_waits'
  | 'approvals_missing'
  | 'locked'
  | 'right_lost'
  | 'cancelled'
  | 'less_text'
  | 'fewer_pictures'
  | CrashCode;

/** How a process ended by itself. */
export type CrashCode = 'exited' | 'killed' | 'out_of_memory' | 'over_disk';

/** A package repository of one content item. */
export interface PackageSourceTable {
  content_guid: string;
  /** Lookup order, from 0. */
  position: number;
  language: 'r' | 'python';
  /** `server` for the server's repositories. */
  address: string;
  username: string | null;
  /** Encrypted. */
  password: string | null;
}

/** The number of the newest event. */
export interface OutgoingHeadTable {
  name: string;
  seq: number;
}

export interface VisitTable {
  id: Generated<number>;
  content_guid: string;
  user_guid: string | null;
  time: Micros;
  bundle_id: number;
  rendering_id: number | null;
  variant_key: string | null;
  data_version: number;
  /** Path below the content's address, without query; null for older visits. */
  path: string | null;
}

export interface AppSessionTable {
  id: Generated<number>;
  content_guid: string;
  user_guid: string | null;
  started: Micros;
  ended: Micros | null;
  data_version: number;
  /** Its process. */
  job_key: string | null;
}

export interface RenderingTable {
  id: Generated<number>;
  content_guid: string;
  bundle_id: number;
  task_id: string;
  created_time: Micros;
  /** Null for the document with the values of its source; then these are null, too. */
  variant_key: Generated<string | null>;
  parameter_values: Generated<string | null>;
  /** JSON of the mail described by the report; null for none. */
  mail: Generated<string | null>;
}

/** Recipients of a variant's scheduled renderings. */
export interface MailRecipientTable {
  content_guid: string;
  /** Empty for the document with the values of its source. */
  variant_key: string;
  type: 'user' | 'group' | 'address';
  value: string;
}

/** The mail of a rendering to one address. */
export interface MailDeliveryTable {
  id: Generated<number>;
  content_guid: string;
  variant_key: string;
  rendering_id: number;
  /** Empty if the report suppressed the mail. */
  address: string;
  user_guid: string | null;
  state: 'waiting' | 'sent' | 'failed' | 'suppressed';
  attempts: number;
  error: string;
  created_time: Micros;
  sent_time: Micros | null;
  /** Time of the next attempt; null for none. */
  next_time: Micros | null;
}

/** A process of an application. */
export interface JobTable {
  key: string;
  content_guid: string;
  bundle_id: number;
  tag: string;
  pid: number;
  node: string;
  /** Directory of its packages, unless the system's sufficed. */
  restored: string | null;
  started: Micros;
  heartbeat: Micros;
  ended: Micros | null;
  exit_code: number | null;
  /** Reason of its end. */
  outcome: string | null;
}

/** Servers of a database that reach each other. */
export interface ClusterServerTable {
  /** Changes with each start. */
  node: string;
  /** Host and port. */
  address: string;
  started: Micros;
  heartbeat: Micros;
}

export interface ScheduleTable {
  content_guid: string;
  /** Empty for the document with the values of its source. */
  variant_key: string;
  cron: string;
  timezone: string;
  /** Its creator, in whose name it renders. */
  user_guid: string;
  next_time: Micros | null;
  created_time: Micros;
}

/** A link found in the files of a content item at its last deploy. */
export interface ContentLinkTable {
  content_guid: string;
  target_guid: string;
}

/** State of the question about unused content. */
export interface UnusedNoticeTable {
  content_guid: string;
  /** When the owner was last asked. */
  told_time: Micros | null;
  /** When somebody last chose to keep it. */
  kept_time: Micros | null;
}

export interface Schema {
  user_account: UserTable;
  user_portion: UserPortionTable;
  api_key: ApiKeyTable;
  api_key_network: ApiKeyNetworkTable;
  session: SessionTable;
  password_link: PasswordLinkTable;
  totp: TotpTable;
  recovery_code: RecoveryCodeTable;
  passkey: PasskeyTable;
  content_session: ContentSessionTable;
  spent: SpentTable;
  device_sign_in: DeviceSignInTable;
  sign_in_token: SignInTokenTable;
  user_group: GroupTable;
  group_member: GroupMemberTable;
  content: ContentTable;
  permission: PermissionTable;
  environment: EnvironmentTable;
  vanity: VanityTable;
  bundle: BundleTable;
  package_source: PackageSourceTable;
  repository: RepositoryTable;
  task: TaskTable;
  server_life: ServerLifeTable;
  drained_server: DrainedServerTable;
  process_place: ProcessPlaceTable;
  guess: GuessTable;
  usage_day: UsageDayTable;
  usage_rolled_day: UsageRolledDayTable;
  task_output: TaskOutputTable;
  tag: TagTable;
  content_tag: ContentTagTable;
  content_text: ContentTextTable;
  thumbnail: ThumbnailTable;
  audit_log: AuditTable;
  audit_head: AuditHeadTable;
  audit_cursor: AuditCursorTable;
  approval_rule: ApprovalRuleTable;
  approver: ApproverTable;
  approval: ApprovalTable;
  deploy_lock: DeployLockTable;
  draft: DraftTable;
  canary: CanaryTable;
  canary_figures: CanaryFiguresTable;
  canary_rule: CanaryRuleTable;
  access_request: AccessRequestTable;
  role_request: RoleRequestTable;
  trusted_publisher: TrustedPublisherTable;
  used_ci_token: UsedCiTokenTable;
  release: ReleaseTable;
  outgoing_event: OutgoingEventTable;
  outgoing_head: OutgoingHeadTable;
  visit: VisitTable;
  app_session: AppSessionTable;
  rendering: RenderingTable;
  job: JobTable;
  cluster_server: ClusterServerTable;
  schedule: ScheduleTable;
  unused_notice: UnusedNoticeTable;
  content_link: ContentLinkTable;
  variant: VariantTable;
  held_rendering: HeldRenderingTable;
  mail_recipient: MailRecipientTable;
  mail_delivery: MailDeliveryTable;
}
