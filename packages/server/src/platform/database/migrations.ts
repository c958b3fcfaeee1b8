// The migrations in order, in SQL that both engines accept after `{id}` and the like are replaced.

/** `{id}` is an ascending integer key that is never reused; `{strict}` ends a table. */
export const MIGRATIONS: readonly string[] = [
  `
create table user_account (
  guid text primary key, username text not null, username_key text not null unique,
  email text not null, first_name text not null, last_name text not null,
  first_name_key text not null, last_name_key text not null,
  user_role text not null check (user_role in ('administrator', 'publisher', 'viewer')),
  password_hash text, must_set_password {int} not null check (must_set_password in (0, 1)),
  confirmed {int} not null check (confirmed in (0, 1)), locked {int} not null check (locked in (0, 1)),
  unique_id text unique, created_time {int} not null, updated_time {int} not null, active_time {int}
){strict};
create index user_sorted on user_account (first_name_key, last_name_key, username_key, email, guid);
create index user_last_name on user_account (last_name_key);
create index user_active on user_account (locked, active_time);
create table api_key (
  id {id}, user_guid text not null references user_account (guid) on delete cascade,
  name text not null, key_hash text not null unique, content_guid text,
  created_time {int} not null, last_used_time {int}
){strict};
create index api_key_user on api_key (user_guid);
create table session (
  token_hash text primary key, user_guid text not null references user_account (guid) on delete cascade,
  xsrf text not null, created_time {int} not null, expires_time {int} not null
){strict};
create index session_by_user on session (user_guid);
create table user_group (
  guid text primary key, name text not null, name_key text not null unique,
  owner_guid text references user_account (guid), unique_id text unique, created_time {int} not null
){strict};
create table group_member (
  group_guid text not null references user_group (guid) on delete cascade,
  user_guid text not null references user_account (guid) on delete cascade,
  primary key (group_guid, user_guid)
){strict};
create index group_member_user on group_member (user_guid);
create table content (
  guid text primary key, name text not null, title text, description text not null,
  access_type text not null check (access_type in ('all', 'logged_in', 'acl')),
  owner_guid text not null references user_account (guid),
  app_mode text not null, content_category text not null,
  has_parameters {int} not null check (has_parameters in (0, 1)),
  bundle_id {int}, site text, r_version text, py_version text,
  connection_timeout {int}, read_timeout {int}, init_timeout {int}, idle_timeout {int},
  max_processes {int}, min_processes {int}, max_conns_per_process {int}, load_factor {real},
  run_as text, git_managed {int} not null check (git_managed in (0, 1)),
  created_time {int} not null, last_deployed_time {int},
  unique (owner_guid, name)
){strict};
create table permission (
  id {id}, content_guid text not null references content (guid) on delete cascade,
  principal_guid text not null, principal_type text not null check (principal_type in ('user', 'group')),
  role text not null check (role in ('owner', 'viewer')),
  unique (content_guid, principal_guid)
){strict};
create index permission_principal on permission (principal_guid);
create table environment (
  content_guid text not null references content (guid) on delete cascade,
  name text not null, value text not null, primary key (content_guid, name)
){strict};
create table vanity (
  content_guid text primary key references content (guid) on delete cascade,
  path text not null, path_key text not null unique, created_time {int} not null
){strict};
create table bundle (
  id {id}, content_guid text not null references content (guid) on delete cascade,
  created_time {int} not null, created_by text not null, size {int} not null, md5 text not null,
  manifest text not null, r_version text, py_version text
){strict};
create index bundle_content on bundle (content_guid, id);
create table task (
  id text primary key, kind text not null, content_guid text, bundle_id {int}, user_guid text not null,
  finished {int} not null check (finished in (0, 1)), code {int} not null, error text not null,
  lines {int} not null, node text not null, lease_until {int} not null,
  created_time {int} not null, finished_time {int}
){strict};
create index task_open on task (finished, lease_until);
create index task_content on task (content_guid, created_time);
create table task_output (
  task_id text not null references task (id) on delete cascade,
  line {int} not null, body text not null, primary key (task_id, line)
){strict};
create table audit_log (
  id {id}, time {int} not null, user_id text not null, user_description text not null,
  action text not null, event_description text not null
){strict};
create table visit (
  id {id}, content_guid text not null, user_guid text, time {int} not null,
  bundle_id {int} not null, rendering_id {int}, variant_key text, data_version {int} not null
){strict};
create index visit_time on visit (time, id);
create index visit_content on visit (content_guid, time, id);
create table app_session (
  id {id}, content_guid text not null, user_guid text, started {int} not null, ended {int},
  data_version {int} not null
){strict};
create index app_session_started on app_session (started, id);
create index app_session_content on app_session (content_guid, started, id);
`,
  // Executed content: renderings, processes, schedules.
  `
alter table content add column launch text;
alter table content add column rendering_id {int};
alter table content add column variant_key text;
alter table app_session add column job_key text;
create index app_session_open on app_session (job_key) where ended is null;
create table rendering (
  id {id}, content_guid text not null references content (guid) on delete cascade,
  bundle_id {int} not null, task_id text not null, created_time {int} not null
){strict};
create index rendering_content on rendering (content_guid, id);
create table job (
  key text primary key, content_guid text not null references content (guid) on delete cascade,
  bundle_id {int} not null, tag text not null, pid {int} not null, node text not null,
  started {int} not null, heartbeat {int} not null, ended {int}, exit_code {int}, outcome text
){strict};
create index job_content on job (content_guid, started);
create index job_open on job (heartbeat) where ended is null;
create table schedule (
  content_guid text primary key references content (guid) on delete cascade,
  cron text not null, timezone text not null, user_guid text not null,
  next_time {int}, created_time {int} not null
){strict};
create index schedule_next on schedule (next_time);
`,
  // Sessions expire when idle; responses of identity providers can be used once.
  `
alter table session add column active_time {int} not null default 0;
update session set active_time = created_time;
create table spent (id text primary key, expires_time {int} not null){strict};
create index spent_expires on spent (expires_time);
`,
  // Device sign-in of programs.
  `
create table device_sign_in (
  device_hash text primary key, user_code_hash text not null unique, client_name text not null,
  address text not null, network text not null, created_time {int} not null, expires_time {int} not null,
  poll_seconds {int} not null, polled_time {int} not null, decision text,
  user_guid text references user_account (guid) on delete cascade
){strict};
create index device_sign_in_expires on device_sign_in (expires_time);
`,
  // Which restored packages documents and processes use, so that others can be removed.
  `
alter table content add column restored text;
alter table job add column restored text;
`,
  // Revoked content keys stay revoked; audit entries form a chain.
  `
alter table api_key add column revoked_time {int};
create index api_key_content on api_key (content_guid) where content_guid is not null;
alter table audit_log add column content_guid text;
alter table audit_log add column seq {int};
alter table audit_log add column mac text;
create unique index audit_log_seq on audit_log (seq) where seq is not null;
create index audit_log_content on audit_log (content_guid, id) where content_guid is not null;
create table audit_head (name text primary key, seq {int} not null, mac text not null, seal text not null){strict};
create table audit_cursor (sink text primary key, id {int} not null){strict};
`,
  // Keys with a role and an expiry, networks of keys and sessions, password links, second factors.
  `
alter table api_key add column role text;
alter table api_key add column expires_time {int};
create table api_key_network (
  api_key_id {int} not null references api_key (id) on delete cascade, network text not null,
  first_time {int} not null, primary key (api_key_id, network)
){strict};
alter table session add column address text not null default '';
alter table session add column agent text not null default '';
create table password_link (
  token_hash text primary key, user_guid text not null references user_account (guid) on delete cascade,
  mailed_to text, created_time {int} not null, expires_time {int} not null
){strict};
create index password_link_user on password_link (user_guid);
create table totp (
  user_guid text primary key references user_account (guid) on delete cascade,
  secret text not null, last_step {int} not null, created_time {int} not null
){strict};
create table recovery_code (
  code_hash text primary key, user_guid text not null references user_account (guid) on delete cascade
){strict};
create index recovery_code_user on recovery_code (user_guid);
create table passkey (
  id text primary key, user_guid text not null references user_account (guid) on delete cascade,
  name text not null, public_key text not null, counter {int} not null, transports text not null,
  created_time {int} not null, last_used_time {int}
){strict};
create index passkey_user on passkey (user_guid);
`,
  // Sessions on content origins, which end with the session they came from; and the front page.
  `
create table content_session (
  token_hash text primary key, session_hash text not null references session (token_hash) on delete cascade,
  content_guid text not null references content (guid) on delete cascade, created_time {int} not null
){strict};
create index content_session_session on content_session (session_hash, content_guid, created_time);
create index content_session_content on content_session (content_guid);
create index content_public on content (created_time) where access_type = 'all' and site is not null;
`,
  // Task stages, and subjects of audit entries, as fields.
  `
alter table task add column stages text not null default '[]';
alter table audit_log add column bundle_id {int};
alter table audit_log add column task_id text;
alter table audit_log add column slack_user text;
`,
  // Tags: a tree whose roots are categories, and the content that has them.
  `
create table tag (
  id {id}, name text not null, name_key text not null, parent_id {int} references tag (id) on delete cascade,
  created_time {int} not null, updated_time {int} not null
){strict};
create unique index tag_sibling on tag (coalesce(parent_id, 0), name_key);
create index tag_parent on tag (parent_id);
create table content_tag (
  content_guid text not null references content (guid) on delete cascade,
  tag_id {int} not null references tag (id) on delete cascade, primary key (content_guid, tag_id)
){strict};
create index content_tag_tag on content_tag (tag_id);
`,
  // Earlier versions can be opened, content can be locked; archives have their SHA-1.
  `
alter table bundle add column sha1 text;
alter table bundle add column deployed_time {int};
update bundle set deployed_time = created_time where id in (select bundle_id from content where bundle_id is not null)
  or id in (select bundle_id from task where kind = 'deploy' and finished = 1 and code = 0 and bundle_id is not null);
alter table content add column locked {int} not null default 0 check (locked in (0, 1));
alter table content add column locked_message text not null default '';
`,
  // Thumbnails of content.
  `
create table thumbnail (
  content_guid text primary key references content (guid) on delete cascade, type text not null, data text not null
){strict};
`,
  // Programs that sign their requests with a key that a person has claimed.
  `
create table sign_in_token (
  token_hash text primary key, public_key text not null unique, client_name text not null,
  address text not null, network text not null, created_time {int} not null, expires_time {int} not null,
  denied {int} not null default 0 check (denied in (0, 1))
){strict};
create index sign_in_token_created on sign_in_token (created_time);
alter table api_key add column public_key text;
create unique index api_key_public_key on api_key (public_key) where public_key is not null;
`,
  // Paths of visits.
  `
alter table visit add column path text;
`,
  // Kinds of content in terms of the manifest: several share an app_mode.
  `
alter table content add column kind text;
${['shiny', 'rmd-shiny', 'api', 'python-api', 'python-fastapi', 'tensorflow-saved-model']
  .map((kind) => `update content set kind = '${kind}' where launch like '{"manifest":{"appmode":"${kind}"%';`)
  .join('\n')}
update content set kind = app_mode where kind is null and app_mode <> 'unknown';
create index content_kind on content (kind);
`,
  // The outbox of events, numbered in commit order.
  `
create table outgoing_event (
  id {int} primary key, time {int} not null, type text not null, task_id text not null, content_guid text not null,
  bundle_id {int}, active_bundle {int}, user_guid text not null, code {int}, stages text not null,
  started_time {int} not null
){strict};
create table outgoing_head (name text primary key, seq {int} not null){strict};
`,
  // Events of crashed processes.
  `
alter table outgoing_event add column job_key text;
alter table outgoing_event add column reason text;
`,
  // Deploy locks, with reason and end.
  `
create table deploy_lock (
  content_guid text primary key references content (guid) on delete cascade, reason text not null, until {int},
  user_guid text not null, created_time {int} not null
){strict};
`,
  // Archives in an S3 store have names of their own: they are stored before the bundle has an id.
  `
alter table bundle add column blob text;
`,
  // Drafts: bundles deployed without becoming active.
  `
create table draft (
  bundle_id {int} primary key references bundle (id) on delete cascade,
  content_guid text not null references content (guid) on delete cascade,
  name text, site text not null, prepared text not null, task_id text not null, user_guid text not null,
  asked_time {int} not null, created_time {int} not null, expires_time {int} not null
){strict};
create unique index draft_name on draft (content_guid, name) where name is not null;
create index draft_expires on draft (expires_time);
`,
  // Approvals: how many a bundle needs, and those given.
  `
create table approval_rule (
  content_guid text primary key references content (guid) on delete cascade, approvals {int} not null,
  user_guid text not null, created_time {int} not null
){strict};
create table release (
  bundle_id {int} primary key references bundle (id) on delete cascade,
  content_guid text not null references content (guid) on delete cascade,
  user_guid text not null, created_time {int} not null, released_time {int},
  override_by text, override_reason text
){strict};
create index release_content on release (content_guid);
create table approval (
  bundle_id {int} not null references release (bundle_id) on delete cascade,
  user_guid text not null, created_time {int} not null, primary key (bundle_id, user_guid)
){strict};
`,
  // CI pipelines that deploy with their own token, the keys issued to them, and used tokens.
  `
create table trusted_publisher (
  id {id}, content_guid text not null references content (guid) on delete cascade,
  user_guid text not null references user_account (guid) on delete cascade,
  issuer text not null, repository text not null, repository_id text, branch text, environment text,
  drafts_only {int} not null, created_time {int} not null, last_used_time {int}
){strict};
create index trusted_publisher_content on trusted_publisher (content_guid);
create table used_ci_token (token_hash text primary key, expires_time {int} not null){strict};
alter table api_key add column publisher_id {int} references trusted_publisher (id) on delete cascade;
alter table api_key add column pipeline text;
alter table api_key add column drafts_only {int};
`,
  // The servers of a cluster and their addresses.
  `
create table cluster_server (
  node text primary key, address text not null, started {int} not null, heartbeat {int} not null
){strict};
`,
  // Permissions with an expiry.
  `
alter table permission add column expires_time {int};
create index permission_expires on permission (expires_time) where expires_time is not null;
`,
  // Content without the bar for collaborators.
  `
alter table content add column hide_bar {int} not null default 0 check (hide_bar in (0, 1));
`,
  // Screenshots taken by the server.
  `
alter table thumbnail add column taken {int} not null default 0 check (taken in (0, 1));
`,
  // Variants of documents: parameter values, each with a rendering and a schedule; and declared parameters of bundles.
  `
alter table bundle add column parameters text;
alter table content add column visitors_may_render {int} not null default 0 check (visitors_may_render in (0, 1));
alter table task add column variant_key text;
alter table rendering add column variant_key text;
alter table rendering add column parameter_values text;
create table variant (
  variant_key text primary key, content_guid text not null references content (guid) on delete cascade,
  name text, name_key text, visibility text not null check (visibility in ('public', 'private')),
  parameter_values text not null, user_guid text not null, task_id text,
  site text, bundle_id {int}, rendering_id {int}, rendered_time {int},
  created_time {int} not null, expires_time {int}
){strict};
create unique index variant_name on variant (content_guid, name_key) where name_key is not null;
create index variant_content on variant (content_guid, created_time);
create index variant_expires on variant (expires_time) where expires_time is not null;
create table schedule_of_variant (
  content_guid text not null references content (guid) on delete cascade, variant_key text not null default '',
  cron text not null, timezone text not null, user_guid text not null,
  next_time {int}, created_time {int} not null, primary key (content_guid, variant_key)
){strict};
insert into schedule_of_variant (content_guid, variant_key, cron, timezone, user_guid, next_time, created_time)
  select content_guid, '', cron, timezone, user_guid, next_time, created_time from schedule;
drop table schedule;
alter table schedule_of_variant rename to schedule;
create index schedule_next on schedule (next_time);
`,
  // Mailed reports: the mail of a rendering, recipients, and delivery states.
  `
alter table task add column mails {int} not null default 0 check (mails in (0, 1));
alter table rendering add column mail text;
create table mail_recipient (
  content_guid text not null references content (guid) on delete cascade, variant_key text not null,
  type text not null check (type in ('user', 'group', 'address')), value text not null,
  primary key (content_guid, variant_key, type, value)
){strict};
create table mail_delivery (
  id {id}, content_guid text not null references content (guid) on delete cascade, variant_key text not null,
  rendering_id {int} not null, address text not null, user_guid text,
  state text not null check (state in ('waiting', 'sent', 'failed', 'suppressed')),
  attempts {int} not null, error text not null, created_time {int} not null, sent_time {int}, next_time {int}
){strict};
create index mail_delivery_content on mail_delivery (content_guid, id);
create index mail_delivery_next on mail_delivery (next_time) where next_time is not null;
`,
  // Approvers named by a rule. Names stay when a group is deleted: without them anybody could approve. And since when
  // too few people may approve a release.
  `
create table approver (
  content_guid text not null references approval_rule (content_guid) on delete cascade,
  principal_guid text not null, principal_type text not null check (principal_type in ('user', 'group')),
  name text not null, primary key (content_guid, principal_guid)
){strict};
alter table release add column stuck_time {int};
`,
  // Requests for access to content.
  `
create table access_request (
  id {id}, content_guid text not null references content (guid) on delete cascade,
  user_guid text not null references user_account (guid) on delete cascade,
  message text, created_time {int} not null
){strict};
create unique index access_request_content on access_request (content_guid, user_guid);
create index access_request_user on access_request (user_guid);
`,
  // Declined access requests stay for a day, so that they cannot be repeated at once. Requests for the publisher role.
  // Requests in events.
  `
alter table access_request add column declined {int} not null default 0 check (declined in (0, 1));
create table role_request (
  user_guid text primary key references user_account (guid) on delete cascade, message text,
  created_time {int} not null, declined {int} not null check (declined in (0, 1))
){strict};
alter table outgoing_event add column request text;
`,
  // Takeover between servers: heartbeats, leases, processes of content, and failed sign-in attempts.
  `
alter table task add column preview text;
alter table task add column begun {int} not null default 0 check (begun in (0, 1));
alter table task add column attempt {int} not null default 0;
alter table task add column losses {int} not null default 0;
create table server_life (node text primary key, beat {int} not null){strict};
create table process_place (
  key text primary key, content_guid text not null, site text not null, node text not null
){strict};
create index process_place_content on process_place (content_guid, site);
create table guess (
  place text primary key, failures {int} not null, last {int} not null, next {int} not null, node text not null
){strict};
create index guess_last on guess (last);
`,
  // Daily totals of visits: a summary of months reads no single visit.
  `
create table usage_day (
  day {int} not null, content_guid text not null, user_guid text not null, visits {int} not null,
  primary key (day, content_guid, user_guid)
){strict};
create table usage_rolled_day (day {int} primary key){strict};
`,
  // Repositories of content, and the commits of bundles.
  `
create table repository (
  content_guid text primary key references content (guid) on delete cascade, user_guid text not null,
  url text not null, branch text not null, directory text not null,
  polling {int} not null check (polling in (0, 1)), username text, token text, secret text not null,
  last_commit text, last_error text, fetched_time {int}, look_time {int}, created_time {int} not null
){strict};
create index repository_look on repository (look_time) where look_time is not null;
alter table bundle add column source text;
`,
  // When owners were asked about unused content, and when it was kept.
  `
create table unused_notice (
  content_guid text primary key references content (guid) on delete cascade, told_time {int}, kept_time {int}
){strict};
`,
  // Links between content.
  `
create table content_link (
  content_guid text not null references content (guid) on delete cascade,
  target_guid text not null references content (guid) on delete cascade, primary key (content_guid, target_guid)
){strict};
create index content_link_target on content_link (target_guid);
`,
  // Canaries: bundles that take a share of new sessions before they go live, and figures of both sides.
  `
create table canary_rule (
  content_guid text primary key references content (guid) on delete cascade,
  share {int} not null, length {int} not null, error_limit {int} not null, slow_limit {int} not null,
  health_path text, waits {int} not null check (waits in (0, 1)), user_guid text not null, created_time {int} not null
){strict};
create table canary (
  id {id}, content_guid text not null references content (guid) on delete cascade,
  bundle_id {int} not null, live_bundle {int} not null, task_id text not null, finish_task text, user_guid text not null,
  state text not null check
    (state in ('preparing', 'running', 'waiting', 'finishing', 'live', 'back', 'replaced', 'failed')),
  share {int} not null, length {int} not null, error_limit {int} not null, slow_limit {int} not null,
  health_path text, waits {int} not null check (waits in (0, 1)),
  created_time {int} not null, started_time {int}, decided_time {int}, decided_by text, reason text
){strict};
create unique index canary_open on canary (content_guid) where state in ('running', 'waiting', 'finishing');
create index canary_content on canary (content_guid, id);
create index canary_task on canary (task_id);
create index canary_finish on canary (finish_task);
create table canary_figures (
  canary_id {int} not null references canary (id) on delete cascade,
  source text not null, side text not null check (side in ('live', 'canary')), figures text not null,
  primary key (canary_id, source, side)
){strict};
`,
  // How much smaller a rendering may become before it is held for review.
  'alter table canary_rule add column shrink_limit {int}',
  // Events of renderings: variant and reason.
  'alter table outgoing_event add column rendering text',
  // Package repositories of content.
  `
create table package_source (
  content_guid text not null references content (guid) on delete cascade, position {int} not null,
  language text not null check (language in ('r', 'python')), address text not null, username text, password text,
  primary key (content_guid, position)
){strict};
`,
  // Repositories over ssh: deploy key and host keys.
  `
alter table repository add column ssh_key text;
alter table repository add column public_key text;
alter table repository add column host_keys text;
alter table repository add column offered_keys text;
`,
  // Held renderings of variants, until somebody decides.
  `
create table held_rendering (
  variant_key text primary key references variant (variant_key) on delete cascade, content_guid text not null,
  bundle_id {int} not null, site text not null, task_id text not null, parameter_values text not null,
  mail text, reason text not null, created_time {int} not null
){strict};
create index held_rendering_content on held_rendering (content_guid);
`,
  // Drained servers, over their restarts; an empty name means all servers.
  `
create table drained_server (name text primary key, drained_time {int} not null, drained_by text not null){strict};
alter table server_life add column name text;
`,
  // The purpose of a program's sign-in: to act as a person, or a single backup, which the owner of its key confirms.
  `
alter table device_sign_in add column purpose text not null default 'sign_in' check (purpose in ('sign_in', 'backup'));
alter table device_sign_in add column asked_by text references user_account (guid) on delete cascade;
`,
  // Why a task ended early. Older servers put it in the error only.
  `
alter table task add column end_reason text check (end_reason in ('cancelled', 'interrupted'));
update task set end_reason = 'cancelled' where error = 'The task was cancelled.';
update task set end_reason = 'interrupted' where error like 'The server stopped while this task was running.%';
`,
  // The reason of an event for programs.
  `
alter table outgoing_event add column reason_code text;
`,
  // What is in the reason besides the code.
  `
alter table outgoing_event add column reason_detail text;
`,
  // Lists of content by creation time are read in portions.
  `
create index content_created on content (created_time, guid);
`,
  // Wrong codes of an authenticator app in a row.
  'alter table totp add column failures {int} not null default 0',
  // Content in the orders of a search, with all that its usual filters need.
  `
create index content_by_deploy on content (
  (coalesce(last_deployed_time, created_time)), guid, bundle_id, owner_guid, access_type
);
create index content_by_name on content ((lower(name)), guid, bundle_id, owner_guid, access_type);
`,
  // The sorted list of users in portions with their counts.
  `
create table user_portion (
  id {id}, first_name_key text not null, last_name_key text not null, username_key text not null, email text not null,
  guid text not null, n {int} not null
){strict};
create unique index user_portion_sorted on user_portion (first_name_key, last_name_key, username_key, email, guid);
create index user_portion_full on user_portion (id) where n > 8000;
insert into user_portion (first_name_key, last_name_key, username_key, email, guid, n)
select '', '', '', '', '', count(*) from user_account;
{triggers of user_portion};
`,
  // Why a repository cannot be read, apart from why its last commit failed.
  'alter table repository add column fetch_error text',
  // Whether somebody has decided on a draft, or it was held for review: then it is not compared with what is live.
  'alter table draft add column reviewed {int} not null default 0',
  // The tasks of all content, newest first, and those of the last day.
  'create index task_created on task (created_time)',
  // Visitor API keys: what content may do for its visitors, and the keys that it got.
  `
alter table content add column visitor_role text check (visitor_role in ('viewer', 'publisher'));
alter table content add column visitor_role_time {int};
create index content_visitor_role on content (visitor_role) where visitor_role is not null;
alter table api_key add column visited_guid text references content (guid) on delete cascade;
alter table api_key add column session_hash text references session (token_hash) on delete cascade;
alter table api_key add column parent_id {int} references api_key (id) on delete cascade;
create index api_key_visited on api_key (visited_guid, expires_time) where visited_guid is not null;
create index api_key_session on api_key (session_hash) where session_hash is not null;
create index api_key_parent on api_key (parent_id) where parent_id is not null;
`,
  // The texts of content in lower case, for searches: null until a server has written them.
  `
create table content_text (
  content_guid text primary key references content (guid) on delete cascade, lowercase text
){strict};
create index content_text_missing on content_text (content_guid) where lowercase is null;
insert into content_text (content_guid) select guid from content;
{triggers of content_text};
`,
  // Orders of content from whose indexes PostgreSQL reads alone: it must find each column that they compute with.
  `
drop index content_by_deploy;
drop index content_by_name;
create index content_in_deploy_order on content (
  (coalesce(last_deployed_time, created_time)), guid, bundle_id, owner_guid, access_type, last_deployed_time, created_time
);
create index content_in_name_order on content ((lower(name)), guid, bundle_id, owner_guid, access_type, name);
create index content_scope on content (owner_guid, access_type, guid);
`,
  // The members of a group in the order of users.
  `
alter table group_member add column first_name_key text not null default '';
alter table group_member add column last_name_key text not null default '';
alter table group_member add column username_key text not null default '';
alter table group_member add column email text not null default '';
update group_member set (first_name_key, last_name_key, username_key, email) = (
  select first_name_key, last_name_key, username_key, email from user_account where guid = user_guid
);
create index group_member_sorted on group_member (
  group_guid, first_name_key, last_name_key, username_key, email, user_guid
);
{triggers of group_member};
`,
  // Bundles that content uploaded: whoever may deploy it has its key.
  'alter table bundle add column of_content {int} not null default 0',
];
