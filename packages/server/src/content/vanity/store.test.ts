// Covers vanity paths of addresses, and paths in the way of another.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DummyDriver, Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Schema } from '../../platform/database/schema.ts';
import { openStorage, type Storage } from '../../platform/database/storage.ts';
import { conflictingVanities, findVanityOf, insertVanity } from './store.ts';

let directory: string;
let storage: Storage;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-vanity-'));
  storage = await openStorage(join(directory, 'pressroom.sqlite'));
  // The content items do not exist.
  await sql`pragma foreign_keys = off`.execute(storage.db);
  for (const path of ['/team/a_b/', '/teams/', `/${'x'.repeat(255)}/`])
    await insertVanity(storage.db, { content_guid: path, path, path_key: path, created_time: 1 });
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

test('finds the path that an address begins with', async () => {
  const found = async (address: string) => (await findVanityOf(storage.db, address))?.path;
  expect(await found('/team/a_b/page/of/it/')).toBe('/team/a_b/');
  expect(await found(`/${'x'.repeat(255)}/page/`)).toBe(`/${'x'.repeat(255)}/`);
  expect(await found('/team/')).toBe(undefined);
});

test('a long address sends the database no more than itself', async () => {
  const sent: unknown[] = [];
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query: { sql: text, parameters } }) => void sent.push(text, parameters),
  });
  const path = `/${'a/'.repeat(4000)}`;
  await findVanityOf(db, path);
  expect(sent).toHaveLength(2);
  expect(JSON.stringify(sent).length).toBeLessThan(path.length + 500);
});

test('paths conflict with those that begin with them, and with those that they begin with', async () => {
  const conflicts = async (key: string, guid = '') =>
    (await conflictingVanities(storage.db, guid, key)).map(({ path }) => path);
  expect(await conflicts('/team/')).toEqual(['/team/a_b/']);
  expect(await conflicts('/team/a_b/')).toEqual(['/team/a_b/']);
  expect(await conflicts('/team/a_b/c/')).toEqual(['/team/a_b/']);
  expect(await conflicts('/team/a-b/')).toEqual([]);
  expect(await conflicts('/team/a_b/', '/team/a_b/')).toEqual([]);
});
