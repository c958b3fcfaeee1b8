// The forward migrations of the store, in order; `{int}` and `{strict}` are filled in for the engine.

export const MIGRATIONS: readonly string[] = [
  `
create table slack_link (
  team text not null, slack_user text not null, slack_name text not null,
  server_user text not null, username text not null, key_sealed text not null,
  created_time {int} not null, primary key (team, slack_user)
){strict};
create table slack_installation (
  id text primary key, sealed text not null, updated_time {int} not null
){strict};
create table slack_pending (
  id text primary key, team text not null, slack_user text not null, channel text not null,
  line text not null, response_url text not null, created_time {int} not null
){strict};
create index slack_pending_time on slack_pending (created_time);
create table slack_notice (
  id text primary key, team text not null, channel text not null, deploy text not null,
  task text, content text not null, title text not null, url text, bundle text,
  who text not null, via text not null, slack_user text, previous text,
  state text not null check (state in ('running', 'succeeded', 'failed', 'unknown')),
  code {int} not null, error text not null, cause text,
  last_lines text not null, line_count {int} not null, phase {int} not null,
  ts text, result_ts text, file_done {int} not null check (file_done in (0, 1)),
  only_failures {int} not null check (only_failures in (0, 1)),
  edited_state text not null, started_time {int} not null, finished_time {int}, created_time {int} not null,
  unique (team, channel, deploy)
){strict};
create index slack_notice_open on slack_notice (file_done, created_time);
create index slack_notice_content on slack_notice (content, created_time);
create table slack_edit (
  id text primary key, team text not null, time {int} not null
){strict};
create index slack_edit_time on slack_edit (team, time);
create table slack_click (
  id text primary key, slack_user text not null, slack_name text not null, time {int} not null, task text
){strict};
create table slack_subscription (
  team text not null, channel text not null, content text not null, title text not null,
  filters text not null, quiet text, slack_user text not null, slack_name text not null,
  created_time {int} not null, digest_time {int} not null, primary key (team, channel, content)
){strict};
create index slack_subscription_content on slack_subscription (content);
create table slack_cursor (
  id text primary key, position text not null
){strict};
create table slack_event (
  id text primary key, time {int} not null
){strict};
create index slack_event_time on slack_event (time);
`,
];
