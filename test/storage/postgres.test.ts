// Covers a PostgreSQL that the server cannot use, or that has limits.
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, runSql, startTestServer } from '@pressroom/testkit';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createEventStream } from '../../packages/server/src/platform/database/postgres/event-stream.ts';
import { openStorage, type Executor } from '../../packages/server/src/platform/database/storage.ts';

/** Acts like a pooler in transaction mode: the backend pid changes whenever `next` is called. */
const POOLER = `create schema pooler; create sequence pooler.backend;
  create function pooler.next() returns bigint language sql as $$ select nextval('pooler.backend') $$;
  create function pooler.pg_backend_pid() returns int language sql as
    $$ select last_value::int from pooler.backend $$`;
/** Acts like an old release. */
const OLD_RELEASE = `create schema old; create function old.current_setting(text) returns text language sql as $$
  select case $1 when 'server_version_num' then '120005' when 'server_version' then '12.5'
    else pg_catalog.current_setting($1) end $$`;
const THROUGH_POOLER = { search_path: 'pooler,pg_catalog,public' };

/** Returns the address with these settings of the session. */
function withSettings(url: string, settings: Record<string, string>): string {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return `${url}?options=${encodeURIComponent(options.join(' '))}`;
}

describe('Database that prevents startup', () => {
  test.each([
    [
      'that is read-only',
      { default_transaction_read_only: 'on' },
      /it is read-only\. Use the address of the primary/,
    ],
    [
      'without a schema for its tables',
      { search_path: 'nowhere' },
      /search_path of \w+ names no schema.*create schema/,
    ],
    [
      'of an old release',
      { search_path: 'old,pg_catalog,public' },
      /version 12\.5 is too old\. Use PostgreSQL 13 or newer/,
    ],
    ['behind a pooler in transaction mode', THROUGH_POOLER, /by transaction.*pool_mode = session/],
  ])('rejects a database %s', async (_, settings, message) => {
    await using database = await createDatabase();
    await runSql(database.url, `${POOLER}; ${OLD_RELEASE}`);
    await expect(openStorage(withSettings(database.url, settings))).rejects.toThrow(message);
  });

  test('rejects an account that may not create tables, until they exist', async () => {
    await using database = await createDatabase();
    const role = `role_${new URL(database.url).pathname.slice(1)}`;
    const url = new URL(database.url);
    url.username = role;
    await runSql(database.url, `create role ${role} login; revoke create on schema public from public`);
    try {
      await expect(openStorage(url.href)).rejects.toThrow(`grant create on schema "public" to "${role}"`);
    } finally {
      await runSql(database.url, `drop role ${role}`);
    }
  });

  test('rejects a missing certificate file', async () => {
    await using database = await createDatabase();
    const url = `${database.url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`;
    await expect(openStorage(url)).rejects.toThrow(/^Database\.URL: ENOENT.*Correct sslrootcert/);
  });
});

test('a pooler that switches to transaction mode is detected, and caches are dropped', async () => {
  await using database = await createDatabase();
  await runSql(database.url, POOLER);
  const noticed = Promise.withResolvers<void>();
  await using stream = createEventStream(withSettings(database.url, THROUGH_POOLER), {
    onNoSession: noticed.resolve,
  });
  while ((await stream.generation()) === null) await delay(10);
  const dropped = new Promise((resolve) => stream.listen(resolve));
  await runSql(database.url, 'select pooler.next(), pooler.next()');
  await noticed.promise;
  expect(await dropped).toBeNull();
});

test('a queued write waits longer than the timeouts of the database account', async () => {
  await using database = await createDatabase();
  await using storage = await openStorage(
    withSettings(database.url, { statement_timeout: '100', lock_timeout: '100' }),
  );
  const begun = Promise.withResolvers<void>();
  const first = storage.write(async (tx) => {
    await lookAt(tx);
    begun.resolve();
    await delay(300);
  });
  await begun.promise;
  await expect(storage.write(lookAt)).resolves.toBeUndefined();
  await first;
});

/** A write waits for its turn at the first statement. */
async function lookAt(tx: Executor): Promise<void> {
  await tx.selectFrom('server_life').select('node').execute();
}

test('a member who is renamed while joining is sorted by the new name', async () => {
  await using server = await startTestServer({ own: true, engine: 'postgres' });
  const { db } = server.running.services.storage;
  const admin = await server.administrator();
  const user = await server.person('viewer');
  const group = (await admin.call('POST', '/v1/groups', { body: { name: 'late' } })).body.guid;
  const rename = await db.startTransaction().execute();
  await rename
    .updateTable('user_account')
    .set({ last_name_key: 'zz' })
    .where('guid', '=', user.guid)
    .execute();
  const joining = db.insertInto('group_member').values({ group_guid: group, user_guid: user.guid }).execute();
  const isWaiting = async () =>
    (
      await sql`select 1 from pg_locks where not granted and locktype in ('transactionid', 'tuple')`.execute(
        db,
      )
    ).rows.length > 0;
  await expect.poll(isWaiting).toBe(true);
  await rename.commit().execute();
  await joining;
  const { last_name_key } = await db
    .selectFrom('group_member')
    .select('last_name_key')
    .where('group_guid', '=', group)
    .executeTakeFirstOrThrow();
  expect(last_name_key).toBe('zz');
});
