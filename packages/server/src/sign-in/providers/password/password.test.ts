// Covers password sign-in: its duration does not reveal who has an account (low), and an account without a password
// cannot sign in (M3).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertUser } from '../../../people/store.ts';
import { openStorage, type Storage } from '../../../platform/database/storage.ts';
import type { ProviderParts } from '../provider.ts';
import { createPassword } from './index.ts';

let directory: string;
let storage: Storage;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-password-'));
  storage = await openStorage(join(directory, 'test.sqlite'));
  const names = { email: '', first_name: '', last_name: '', unique_id: null, active_time: null };
  const state = { confirmed: 1, created_time: 1, updated_time: 1, user_role: 'viewer', ...names } as const;
  const add = (
    username: string,
    password_hash: string | null,
    more: { must_set_password: 0 | 1; locked: 0 | 1 },
  ) => insertUser(storage.db, { guid: username, username, password_hash, ...state, ...more });
  await add('ann', 'the hash of ann', { must_set_password: 0, locked: 0 });
  await add('locked', 'the hash of locked', { must_set_password: 0, locked: 1 });
  await add('invited', null, { must_set_password: 1, locked: 0 });
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

test.each([
  ['ann', 'the hash of ann'],
  ['locked', 'the hash of locked'],
  ['invited', null],
  ['not-there', null],
])('%s: verifies one hash and returns error 30', async (username, wanted) => {
  const made: (string | null)[] = [];
  const passwords = {
    hash: () => Promise.reject(new Error('not asked')),
    verify: async (_password: string, hash: string | null) => {
      made.push(hash);
      return false;
    },
  };
  const { signIn } = createPassword({ storage, passwords } as unknown as ProviderParts);
  if (signIn.by !== 'form') throw new Error('not by a form');
  await expect(signIn.check(username, 'a guess')).rejects.toMatchObject({ code: 30 });
  expect(made).toEqual([wanted]);
});
