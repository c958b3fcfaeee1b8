// The tables as types. Ids are text, times epoch microseconds, booleans 0 or 1, on both engines.
import type { Generated } from 'kysely';

/** Microseconds since the epoch. */
export type Micros = number;
export type Bit = 0 | 1;

export interface UserTable {
  guid: string;
  username: string;
  /** Lower case of the username: unique. */
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

export interface ApiKeyTable {
  id: Generated<number>;
  user_guid: string;
  name: string;
  key_hash: string;
  /** A key of the owner's, made for one content item. */
  content_guid: string | null;
  created_time: Micros;
  last_used_time: Micros | null;
  /** Of a key of content that was revoked: its row stays, so that it is not made again. */
  revoked_time: Micros | null;
  /** The most that calls with it may do; null: what its owner may. */
  role: UserTable['user_role'] | null;
  expires_time: Micros | null;
  /** Of a program that signs its requests: DER in base64. Then `key_hash` is that of the token's name, which is no key. */
  public_key: string | null;
  /** The trusted publisher whose pipeline got it, and which run that was. */
  publisher_id: number | null;
  pipeline: string | null;
  /** 1: nothing goes live by it. */
  drafts_only: number | null;
}

/** A pipeline that may deploy a content item with the token of its CI, and the rights of a user. */
export interface TrustedPublisherTable {
  id: Generated<number>;
  content_guid: string;
  user_guid: string;
  issuer: string;
  /** `owner/name`, in lower case. */
  repository: string;
  /** As the CI numbers it: kept of its first token, so that nobody takes over its name. */
  repository_id: string | null;
  branch: string | null;
  environment: string | null;
  drafts_only: number;
  created_time: Micros;
  last_used_time: Micros | null;
}

/** Somebody asks for access to content: one request for both. */
export interface AccessRequestTable {
  id: Generated<number>;
  content_guid: string;
  user_guid: string;
  message: string | null;
  created_time: Micros;
  /** 1: it is closed, and kept only so that it is not made again at once. */
  declined: Generated<0 | 1>;
}

/** A viewer asks to become a publisher. */
export interface RoleRequestTable {
  user_guid: string;
  message: string | null;
  created_time: Micros;
  declined: 0 | 1;
}

/** Tokens of CIs that were exchanged: each is good once. */
export interface UsedCiTokenTable {
  token_hash: string;
  expires_time: Micros;
}

/** Where a key has been used from. */
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
  /** Where it was begun, and by which program. */
  address: string;
  agent: string;
}

/** A link that sets a password, once. */
export interface PasswordLinkTable {
  token_hash: string;
  user_guid: string;
  /** The address that it was mailed to; null: an administrator was shown it. */
  mailed_to: string | null;
  created_time: Micros;
  expires_time: Micros;
}

/** What an authenticator app shares with the server. */
export interface TotpTable {
  user_guid: string;
  /** Sealed, with `totp {user_guid}` as its context. */
  secret: string;
  /** The newest step whose code was used: none is good twice. */
  last_step: number;
  created_time: Micros;
}

export interface RecoveryCodeTable {
  code_hash: string;
  user_guid: string;
}

export interface PasskeyTable {
  /** Of the credential, in base64url. */
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

/** A session on the origin of one content item. It lasts as long as the one that it came from. */
export interface ContentSessionTable {
  token_hash: string;
  session_hash: string;
  content_guid: string;
  created_time: Micros;
}

/** What may be used once, such as the answer of an identity provider. */
export interface SpentTable {
  id: string;
  expires_time: Micros;
}

/** A public key that waits for a person to claim it. */
export interface SignInTokenTable {
  token_hash: string;
  public_key: string;
  client_name: string;
  /** Where it was registered from, and the network that limits count by. */
  address: string;
  network: string;
  created_time: Micros;
  expires_time: Micros;
  denied: Bit;
}

/** A program that waits for somebody to allow it in the browser. */
export interface DeviceSignInTable {
  device_hash: string;
  user_code_hash: string;
  client_name: string;
  /** Where it asked from, and the network that limits count by. */
  address: string;
  network: string;
  created_time: Micros;
  expires_time: Micros;
  /** How far apart its polls must be, in seconds, and when the last one came that kept to it. */
  poll_seconds: number;
  polled_time: Micros;
  decision: 'allowed' | 'denied' | null;
  /** Whoever decided. */
  user_guid: string | null;
  /** What it gets: an API key of whoever decided, or one backup. */
  purpose: 'sign_in' | 'backup';
  /** Whose API key asked; null where none did. */
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
}

export interface ContentTable {
  guid: string;
  name: string;
  title: string | null;
  description: string;
  access_type: 'all' | 'logged_in' | 'acl';
  owner_guid: string;
  app_mode: string;
  /** The `appmode` of its manifest: several kinds share an `app_mode`. Null until the first deploy. */
  kind: string | null;
  content_category: string;
  has_parameters: Bit;
  bundle_id: number | null;
  /** Directory of the active deploy below the content's own. */
  site: string | null;
  /** What a process of it needs to start, as JSON: see runtime/applications. Null for what is not run on demand. */
  launch: string | null;
  /** The rendering that visitors see, and whose variant it is. Null for what is not rendered. */
  rendering_id: number | null;
  variant_key: string | null;
  /** Directory of the packages that it was rendered with, where the system's did not do; `launch` has it for others. */
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
  /** Locked content is shown to its collaborators only, and to others a message in its place. */
  locked: Generated<Bit>;
  locked_message: Generated<string>;
  /** No bar above it, for those who work on it. */
  hide_bar: Generated<0 | 1>;
  /** Whether all who may view a document may render it with values of their own. */
  visitors_may_render: Generated<Bit>;
}

/** A document with a set of values for its parameters. */
export interface VariantTable {
  variant_key: string;
  content_guid: string;
  /** Null for one that a visitor rendered with own values; so is its form for comparisons. */
  name: string | null;
  name_key: string | null;
  visibility: 'public' | 'private';
  /** JSON by the name of the parameter, checked against the declaration. */
  parameter_values: string;
  user_guid: string;
  /** That renders it, or did so last. */
  task_id: string | null;
  /** Directory of its rendering below that of the content; null before the first one, as what follows. */
  site: string | null;
  bundle_id: number | null;
  rendering_id: number | null;
  rendered_time: Micros | null;
  created_time: Micros;
  /** Null: it stays. */
  expires_time: Micros | null;
}

/** A rendering of a variant that shrank, and that nobody has decided on. */
export interface HeldRenderingTable {
  variant_key: string;
  content_guid: string;
  bundle_id: number;
  /** Its directory below that of the content. */
  site: string;
  task_id: string;
  /** As of a rendering, as is what follows. */
  parameter_values: string;
  mail: string | null;
  /** In words. */
  reason: string;
  created_time: Micros;
}

export interface PermissionTable {
  id: Generated<number>;
  content_guid: string;
  principal_guid: string;
  principal_type: 'user' | 'group';
  role: 'owner' | 'viewer';
  /** Null: it does not end. */
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
  /** Of the archive, in hex; null for those that came before it was kept. */
  sha1: string | null;
  /** Name of its archive in an S3 store; null for one that is named by the id. */
  blob: string | null;
  r_version: string | null;
  py_version: string | null;
  /** When it last became the active one; null for one that never was. */
  deployed_time: Micros | null;
  /** JSON of the parameters that its source declares; null before it was rendered, and for what is not. */
  parameters: Generated<string | null>;
  /** JSON of the commit that it was made of; null for what was uploaded. */
  source: Generated<string | null>;
}

/** Where the bundles of a content item come from. */
export interface RepositoryTable {
  content_guid: string;
  /** With whose rights commits are deployed. */
  user_guid: string;
  url: string;
  branch: string;
  directory: string;
  polling: Bit;
  /** Sent with the token; null: `git`. */
  username: string | null;
  /** Sealed. */
  token: string | null;
  /** Of the webhook, sealed. */
  secret: string;
  /** The private key for ssh, sealed, and the line of the public one. */
  ssh_key: string | null;
  public_key: string | null;
  /** Keys of the ssh server: that the owner trusts, and that it offered last; each on a line, type and base64. */
  host_keys: string | null;
  offered_keys: string | null;
  /** That was tried last, whatever became of it. */
  last_commit: string | null;
  last_error: string | null;
  fetched_time: Micros | null;
  /** When a server looks for a new commit; null: when it is told to. */
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

export interface ContentTagTable {
  content_guid: string;
  tag_id: number;
}

/** Nobody deploys the content meanwhile. */
export interface DeployLockTable {
  content_guid: string;
  reason: string;
  /** Null until it is removed. */
  until: Micros | null;
  user_guid: string;
  created_time: Micros;
}

/** A bundle that was deployed without becoming the active one. */
export interface DraftTable {
  bundle_id: number;
  content_guid: string;
  /** Of the preview whose address it has; null for none. */
  name: string | null;
  /** Its directory, as of a deploy. */
  site: string;
  /** JSON of what its deploy prepared for the activation. */
  prepared: string;
  /** The task that prepared it. */
  task_id: string;
  user_guid: string;
  /** When its deploy was asked for: the later one has the name. */
  asked_time: Micros;
  created_time: Micros;
  expires_time: Micros;
}

/** What a canary takes, for how long, and what ends it. */
interface CanaryLimits {
  /** Percent of new sessions. */
  share: number;
  /** Seconds. */
  length: number;
  /** Percentage points by which more requests may fail than of what is live. */
  error_limit: number;
  /** Percent by which requests may take longer; 0: as long as they like. */
  slow_limit: number;
  /** Asked for again and again; null for none. */
  health_path: string | null;
  /** Whether a person makes it live. */
  waits: Bit;
}

/** Every new bundle of the content is a canary first. */
export interface CanaryRuleTable extends CanaryLimits {
  content_guid: string;
  /** Percent by which a rendering of a document may be smaller than what is shown; null: as it likes. */
  shrink_limit: Generated<number | null>;
  user_guid: string;
  created_time: Micros;
}

/** A bundle that takes a share of new sessions before it goes live. */
export interface CanaryTable extends CanaryLimits {
  id: Generated<number>;
  content_guid: string;
  bundle_id: number;
  /** What was live when it began. */
  live_bundle: number;
  /** That deploys it as a draft, and that makes it live; null for as long as none does. */
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

/** What one server counted of one of the two, from its start on. */
export interface CanaryFiguresTable {
  canary_id: number;
  source: string;
  side: 'live' | 'canary';
  /** JSON. */
  figures: string;
}

/** How many others approve a bundle before it goes live. */
export interface ApprovalRuleTable {
  content_guid: string;
  approvals: number;
  user_guid: string;
  created_time: Micros;
}

/** Who approves, where a rule names them; without a row every collaborator does. */
export interface ApproverTable {
  content_guid: string;
  principal_guid: string;
  principal_type: 'user' | 'group';
  /** When the rule was set: it may be deleted since. */
  name: string;
}

/** A bundle that is to go live once it is approved. */
export interface ReleaseTable {
  bundle_id: number;
  content_guid: string;
  /** Who asked. */
  user_guid: string;
  created_time: Micros;
  /** When it last went live; null for one that is pending. */
  released_time: Micros | null;
  /** Who let it go live without approvals, and why. */
  override_by: string | null;
  override_reason: string | null;
  /** Since when too few people may approve it, as far as they were told; null while enough may. */
  stuck_time: Micros | null;
}

export interface ApprovalTable {
  bundle_id: number;
  user_guid: string;
  created_time: Micros;
}

/** The picture of a content item. */
export interface ThumbnailTable {
  content_guid: string;
  /** Such as image/png. */
  type: string;
  /** In base64. */
  data: string;
  /** By the server after a deploy; what people chose stays. */
  taken: Generated<0 | 1>;
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
  /** Lines of output so far. */
  lines: number;
  /** JSON list of the stages that it has reached: name, first line, time. */
  stages: Generated<string>;
  node: string;
  lease_until: Micros;
  created_time: Micros;
  finished_time: Micros | null;
  /** That it renders; null for what is not a variant. */
  variant_key: Generated<string | null>;
  /** Whether its rendering is mailed. */
  mails: Generated<Bit>;
  /** The preview whose address its draft gets. */
  preview: Generated<string | null>;
  /** Whether its turn has come, where several servers take turns. */
  begun: Generated<Bit>;
  /** Grows each time that another server takes it over. */
  attempt: Generated<number>;
  /** How many servers vanished while they worked on it. */
  losses: Generated<number>;
}

/** The servers that share a database, each while it lives. */
export interface ServerLifeTable {
  node: string;
  beat: number;
  /** The same after a restart; null of a server of an older version. */
  name: string | null;
}

/** A server that starts no more processes. */
export interface DrainedServerTable {
  /** Empty: all servers. */
  name: string;
  drained_time: Micros;
  /** Username. */
  drained_by: string;
}

/** A process of a content item on one of several servers, from before its start to its end. */
export interface ProcessPlaceTable {
  key: string;
  content_guid: string;
  site: string;
  node: string;
}

/** Visits of a day that is over. */
export interface UsageDayTable {
  /** Since the epoch, in UTC. */
  day: number;
  content_guid: string;
  /** Empty for visitors without an account. */
  user_guid: string;
  visits: number;
}

/** A day whose visits are all in `usage_day`. */
export interface UsageRolledDayTable {
  day: number;
}

/** Failed attempts to sign in, where several servers count them. */
export interface GuessTable {
  /** Keyed hash of what they have in common. */
  place: string;
  failures: number;
  /** The last attempt. */
  last: Micros;
  /** When the last one that had to wait may be looked at, and the server that it is at. */
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
  /** The content it is about. */
  content_guid: string | null;
  bundle_id: number | null;
  task_id: string | null;
  /** Who asked the bot for it. */
  slack_user: string | null;
  /** Its place in the chain, from 1 without gaps; null for entries of a time before there was one. */
  seq: number | null;
  /** Over the entry and the mac of the one before. */
  mac: string | null;
}

/** The end of the chain of audit entries, and what it begins after where the oldest were removed. */
export interface AuditHeadTable {
  name: 'audit' | 'start';
  seq: number;
  mac: string;
  seal: string;
}

/** How far a receiver of audit entries has got. */
export interface AuditCursorTable {
  sink: string;
  id: number;
}

/** What is sent to programs outside, until all of them have it. */
export interface OutgoingEventTable {
  /** In the order of commits. */
  id: number;
  time: Micros;
  type:
    | `${'deploy' | 'draft' | 'render'}.${'started' | 'finished'}`
    | `release.${'asked' | 'approved' | 'overridden' | 'stuck'}`
    | `canary.${'started' | 'waiting' | 'live' | 'back' | 'replaced'}`
    | `${'access' | 'role'}.${'asked' | 'granted' | 'declined' | 'expired'}`
    | 'process.crashed'
    | `${'draft' | 'render'}.held`
    | 'content.unused';
  /** Empty for a process. */
  task_id: string;
  /** Empty for what is about no content. */
  content_guid: string;
  bundle_id: number | null;
  /** Of the content, when it happened. */
  active_bundle: number | null;
  user_guid: string;
  /** Null while it runs. */
  code: number | null;
  /** JSON. */
  stages: string;
  started_time: Micros;
  /** Of the process that crashed. */
  job_key: string | null;
  /** How it ended, in words. */
  reason: string | null;
  /** JSON: the request for access or for a role that it is about. */
  request: Generated<string | null>;
  /** JSON: of a rendering, which variant it is of. */
  rendering: Generated<string | null>;
}

/** A package repository of one content item. */
export interface PackageSourceTable {
  content_guid: string;
  /** From 0, in the order in which they are asked. */
  position: number;
  language: 'r' | 'python';
  /** `server` for those of the server. */
  address: string;
  username: string | null;
  /** Sealed. */
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
  /** Below the address of the content, without the query; null for visits from before it was recorded. */
  path: string | null;
}

export interface AppSessionTable {
  id: Generated<number>;
  content_guid: string;
  user_guid: string | null;
  started: Micros;
  ended: Micros | null;
  data_version: number;
  /** The process it ran in. */
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
  /** JSON of what the report says of its mail; null where it says nothing. */
  mail: Generated<string | null>;
}

/** Who is mailed the scheduled renderings of a variant. */
export interface MailRecipientTable {
  content_guid: string;
  /** Empty for the document with the values of its source. */
  variant_key: string;
  type: 'user' | 'group' | 'address';
  value: string;
}

/** A mail with a rendering, to one address. */
export interface MailDeliveryTable {
  id: Generated<number>;
  content_guid: string;
  variant_key: string;
  rendering_id: number;
  /** Empty where the report itself wanted no mail. */
  address: string;
  user_guid: string | null;
  state: 'waiting' | 'sent' | 'failed' | 'suppressed';
  attempts: number;
  error: string;
  created_time: Micros;
  sent_time: Micros | null;
  /** Of the next attempt; null: there is none. */
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
  /** Directory of the packages that it runs with, where the system's did not do. */
  restored: string | null;
  started: Micros;
  heartbeat: Micros;
  ended: Micros | null;
  exit_code: number | null;
  /** How it ended, in words. */
  outcome: string | null;
}

/** The servers of one database that reach each other. */
export interface ClusterServerTable {
  /** Another one at each start. */
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
  /** Whoever made it: renders run in their name. */
  user_guid: string;
  next_time: Micros | null;
  created_time: Micros;
}

/** Found in the files of a content item when it went live last. */
export interface ContentLinkTable {
  content_guid: string;
  target_guid: string;
}

/** What was said of content that nobody uses. */
export interface UnusedNoticeTable {
  content_guid: string;
  /** When its owner was told last. */
  told_time: Micros | null;
  /** When somebody said last that it is kept. */
  kept_time: Micros | null;
}

export interface Schema {
  user_account: UserTable;
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
