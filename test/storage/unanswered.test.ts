// Covers statements that a transaction does not wait for, and writes that do not invalidate caches elsewhere.
import { openStorage } from '@pressroom/server';
import { startTestDatabase, type TestDatabase } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimAuditHead } from '../../packages/server/src/audit/store.ts';
import { isUniqueViolation, type Storage } from '../../packages/server/src/platform/database/storage.ts';
import { findTask, insertTask, type NewTask } from '../../packages/server/src/tasks/store.ts';
import { insertVisits } from '../../packages/server/src/usage/store.ts';

let database: TestDatabase;
let storage: Storage;
beforeAll(async () => {
  database = await startTestDatabase();
  storage = await openStorage(database.url);
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const task = (id: string): NewTask => ({
  id,
  kind: 'deploy',
  content_guid: null,
  bundle_id: null,
  user_guid: '',
  node: '',
  lease_until: 0,
  created_time: 0,
});

test('a statement sent without waiting fails its transaction like any other', async () => {
  await storage.write((tx) => insertTask(tx, task('there')));
  const twice = storage.write(async (tx) => {
    await insertTask(tx, task('lost'));
    await insertTask(tx, task('there'));
  });
  expect(isUniqueViolation(await twice.catch((error: unknown) => error))).toBe(true);
  const before = storage.write(async (tx) => {
    await findTask(tx, 'there');
    await insertTask(tx, task('there'));
    await findTask(tx, 'there');
  });
  expect(isUniqueViolation(await before.catch((error: unknown) => error))).toBe(true);
  expect(await findTask(storage.db, 'lost')).toBe(undefined);
});

test('a transaction that gives up throws its own error, and its connection is reused', async () => {
  const given = storage.write(async (tx) => {
    await findTask(tx, 'there');
    // On one engine, it fails only after the transaction has given up.
    await insertTask(tx, task('there')).catch(() => undefined);
    throw new Error('given up');
  });
  await expect(given).rejects.toThrow('given up');
  await storage.write((tx) => insertTask(tx, task('next')));
  expect(await findTask(storage.db, 'next')).toMatchObject({ id: 'next', attempt: 0, stages: '[]' });
});

const visit = { content_guid: 'c', user_guid: null, time: 1, bundle_id: 1, data_version: 1 };
let tasks = 0;

test.each<[string, () => Promise<unknown>]>([
  ['visits', () => insertVisits(storage, [{ ...visit, rendering_id: null, variant_key: null }])],
  [
    'a task and an audit entry',
    () =>
      storage.write(async (tx) => {
        await insertTask(tx, task(`unnoticed-${(tasks += 1)}`));
        await claimAuditHead(tx);
      }),
  ],
])('caches stay valid when the server adds %s', async (_, add) => {
  const { generation, generationElsewhere } = storage;
  const addOnce = async () => {
    const before = [await generation(), await generationElsewhere()];
    await add();
    return { before, after: [await generation(), await generationElsewhere()] };
  };
  // Repeat: other databases of the same cluster may be written to at the same time.
  await expect
    .poll(async () => {
      const { before, after } = await addOnce();
      return before[1] !== null && before[1] === after[1];
    })
    .toBe(true);
  const { before, after } = await addOnce();
  expect(after[0]).not.toBe(before[0]);
});

test('caches become invalid once anything else is written in the same transaction', async () => {
  if (!storage.isShared) return;
  const known = await storage.generationElsewhere();
  await storage.write(async (tx) => {
    await insertTask(tx, task('noticed'));
    await tx.deleteFrom('vanity').execute();
  });
  expect(await storage.generationElsewhere()).not.toBe(known);
});
