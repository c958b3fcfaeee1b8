// The tables of the store, and their migrations.
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Schema } from './schema.ts';

type Engine = 'sqlite' | 'postgres';

/** Prevents concurrent migrations by bots on one PostgreSQL database. */
const MIGRATION_LOCK = 7_303_015;

/** In one transaction: a failed migration changes nothing. @throws if the store was written by a newer bot */
export async function migrate(engine: Engine, db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx);
    const migrator = new Migrator({
      db: tx,
      provider: { getMigrations: async () => migrationsFor(engine) },
      migrationTableName: 'slack_migration',
      migrationLockTableName: 'slack_migration_lock',
    });
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the store cannot be migrated; it may be from a newer bot (${why})`, { cause: error });
  });
}

function migrationsFor(engine: Engine): Record<string, Migration> {
  const words = engine === 'postgres' ? { int: 'bigint', strict: '' } : { int: 'integer', strict: ' strict' };
  return Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, text]) => {
      const statements = text.replaceAll('{int}', words.int).replaceAll('{strict}', words.strict).split(';');
      const up = async (db: Kysely<unknown>) => {
        for (const statement of statements) if (statement.trim() !== '') await sql.raw(statement).execute(db);
      };
      return [name, { up }];
    }),
  );
}

/** By name, in order; `{int}` and `{strict}` differ between the engines. */
export const MIGRATIONS: Readonly<Record<string, string>> = {
  // Tables of earlier bots without a record here are kept.
  '0001-tables': `
create table if not exists slack_link (
  team text not null, slack_user text not null, slack_name text not null,
  server_user text not null, username text not null, key_sealed text not null,
  created_time {int} not null, primary key (team, slack_user)
){strict};
create table if not exists slack_installation (
  id text primary key, sealed text not null, updated_time {int} not null
){strict};
create table if not exists slack_pending (
  id text primary key, team text not null, slack_user text not null, channel text not null,
  line text not null, response_url text not null, created_time {int} not null
){strict};
create index if not exists slack_pending_time on slack_pending (created_time);
create table if not exists slack_notice (
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
create index if not exists slack_notice_open on slack_notice (file_done, created_time);
create index if not exists slack_notice_content on slack_notice (content, created_time);
create table if not exists slack_edit (
  id text primary key, team text not null, time {int} not null
){strict};
create index if not exists slack_edit_time on slack_edit (team, time);
create table if not exists slack_click (
  id text primary key, slack_user text not null, slack_name text not null, time {int} not null, task text
){strict};
create table if not exists slack_subscription (
  team text not null, channel text not null, content text not null, title text not null,
  filters text not null, quiet text, slack_user text not null, slack_name text not null,
  created_time {int} not null, digest_time {int} not null, primary key (team, channel, content)
){strict};
create index if not exists slack_subscription_content on slack_subscription (content);
create table if not exists slack_cursor (
  id text primary key, position text not null
){strict};
create table if not exists slack_event (
  id text primary key, time {int} not null
){strict};
create index if not exists slack_event_time on slack_event (time);
`,
  // Migration counter of earlier bots.
  '0002-drop-schema-version': 'drop table if exists slack_schema_version',
  // The reader of a deploy; the server's key of a link, to be revoked with it.
  '0003-reader-and-key': `
alter table slack_notice add column reader text;
update slack_notice set reader = slack_user;
alter table slack_link add column key_id text;
`,
  // Several bots over one database: each message has one owner at a time. The outbox.
  '0004-owners-and-outbox': `
alter table slack_notice add column owner text not null default '';
alter table slack_notice add column lease_until {int} not null default 0;
create table slack_outbox (
  id text primary key, team text not null, channel text not null, reader text, content text, message text not null,
  created_time {int} not null, done_time {int}, owner text not null, lease_until {int} not null,
  not_before {int} not null, failures {int} not null
){strict};
create index slack_outbox_due on slack_outbox (not_before) where done_time is null;
`,
  // Quiet hours and digests in the subscriber's time zone.
  '0005-zones': `
alter table slack_subscription add column zone text not null default 'UTC';
alter table slack_subscription add column digest_hour {int} not null default 8;
`,
  // One message per bundle that waits for approval, with its history.
  '0006-releases': `
create table slack_release (
  team text not null, channel text not null, content text not null, bundle text not null, title text not null,
  url text, thread text, ts text, created_time {int} not null, primary key (team, channel, content, bundle)
){strict};
create table slack_release_step (
  team text not null, channel text not null, id text not null, content text not null, bundle text not null,
  what text not null check (what in ('asked', 'approved', 'overridden', 'live')),
  who text not null, time {int} not null, primary key (team, channel, id)
){strict};
create index slack_release_step_bundle on slack_release_step (content, bundle);
`,
  // Requests for access and roles, with the messages to people who may decide.
  '0007-requests': `
create table slack_request (
  team text not null, slack_user text not null, event text not null, kind text not null check (kind in ('access', 'role')),
  request text not null, content text, title text not null, url text, who text not null, message text, ts text, channel text,
  state text not null check (state in ('asked', 'granted', 'declined')), role text, decided_by text not null,
  decided_event text, decided_time {int}, created_time {int} not null, primary key (team, slack_user, event)
){strict};
create index slack_request_request on slack_request (kind, request);
`,
  // Canaries in the message of their bundle, with the reason of their end.
  '0008-canaries': `
create table slack_release_step_new (
  team text not null, channel text not null, id text not null, content text not null, bundle text not null,
  what text not null check
    (what in ('asked', 'approved', 'overridden', 'live', 'canary', 'waiting', 'back', 'replaced')),
  who text not null, time {int} not null, reason text, primary key (team, channel, id)
){strict};
insert into slack_release_step_new (team, channel, id, content, bundle, what, who, time)
  select team, channel, id, content, bundle, what, who, time from slack_release_step;
drop table slack_release_step;
alter table slack_release_step_new rename to slack_release_step;
create index slack_release_step_bundle on slack_release_step (content, bundle);
`,
  // A release is one thread: its drafts, and the deploy that makes it live.
  '0009-threads': `
alter table slack_notice add column thread text;
create table slack_release_step_new (
  team text not null, channel text not null, id text not null, content text not null, bundle text not null,
  what text not null, who text not null, time {int} not null, reason text, primary key (team, channel, id)
){strict};
insert into slack_release_step_new (team, channel, id, content, bundle, what, who, time, reason)
  select team, channel, id, content, bundle, what, who, time, reason from slack_release_step;
drop table slack_release_step;
alter table slack_release_step_new rename to slack_release_step;
create index slack_release_step_bundle on slack_release_step (content, bundle);
`,
  // Expired requests.
  '0010-expired-requests': `
create table slack_request_new (
  team text not null, slack_user text not null, event text not null, kind text not null check (kind in ('access', 'role')),
  request text not null, content text, title text not null, url text, who text not null, message text, ts text, channel text,
  state text not null check (state in ('asked', 'granted', 'declined', 'expired')), role text, decided_by text not null,
  decided_event text, decided_time {int}, created_time {int} not null, primary key (team, slack_user, event)
){strict};
insert into slack_request_new (team, slack_user, event, kind, request, content, title, url, who, message, ts, channel, state,
  role, decided_by, decided_event, decided_time, created_time)
  select team, slack_user, event, kind, request, content, title, url, who, message, ts, channel, state,
  role, decided_by, decided_event, decided_time, created_time from slack_request;
drop table slack_request;
alter table slack_request_new rename to slack_request;
create index slack_request_request on slack_request (kind, request);
`,
  // Why a deploy ended early.
  '0011-end-reason': `alter table slack_notice add column end_reason text`,
  // Channels in which the bot could not post.
  '0012-closed-channels': `
create table slack_closed_channel (
  team text not null, channel text not null, word text not null, check_time {int} not null,
  primary key (team, channel)
){strict};
`,
  // Reasons for channels in other languages.
  '0013-reason-code': `alter table slack_release_step add column reason_code text`,
  // The deploy that got a draft or canary ready: buttons name it.
  '0014-draft-task': `alter table slack_release_step add column draft_task text`,
  // What a reason says besides its code.
  '0015-reason-detail': `alter table slack_release_step add column reason_detail text`,
  // Channels of a setting stay known as closed until they open again.
  '0016-closed-for-now': `alter table slack_closed_channel add column confirmed {int} not null default 0`,
  // Who acted, to be mentioned; what a message showed when it was posted: edits notify nobody.
  '0017-told-failures': `
alter table slack_release_step add column actor text;
alter table slack_release add column posted_step text;
`,
};
