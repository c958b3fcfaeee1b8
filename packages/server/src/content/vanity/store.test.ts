// Covers vanity paths of addresses, and paths in the way of another.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('a long address of many parts is not looked up part by part', async () => {
  let asked = 0;
  const db = storage.db.withPlugin({
    transformQuery({ node }) {
      asked += JSON.stringify(node).length;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await findVanityOf(db, '/a'.repeat(3000).concat('/'));
  // Every part with all before it would be 9 MB.
  expect(asked).toBeLessThan(100_000);
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
