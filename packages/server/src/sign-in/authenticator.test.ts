// Covers revocation during a look-up: the result is not cached as valid (M2).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insertUser, updateUserRow } from '../people/store.ts';
import { openStorage, type Database, type Storage } from '../platform/database/storage.ts';
import { createAuthenticator, hashSecret, type Authenticator } from './authenticator.ts';
import { insertApiKey, insertSession, removeApiKey, removeSession } from './store.ts';

const ANN = 'ann-guid';
const KEY = { authorization: 'Key the-key' };
const SESSION = { cookie: 'pressroom-session=the-token' };

let directory: string;
let storage: Storage;
/** If set, the next look-up reads its key and user, then waits for `until`. */
let held: { readonly reached: () => void; readonly until: Promise<void> } | null = null;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-authenticator-'));
  storage = await openStorage(join(directory, 'test.sqlite'));
  const { db } = storage;
  const account = { username: 'ann', email: '', first_name: 'Ann', last_name: '', password_hash: null };
  const state = { must_set_password: 0, confirmed: 1, locked: 0, created_time: 1, updated_time: 1 } as const;
  const rest = { user_role: 'administrator', unique_id: null, active_time: null } as const;
  await insertUser(db, { guid: ANN, ...account, ...state, ...rest });
  await insertApiKey(db, { user_guid: ANN, name: 'test', key_hash: hashSecret('the-key'), created_time: 1 });
  const times = { created_time: 1, active_time: 1, expires_time: 1e15 };
  const from = { address: '', agent: '' };
  await insertSession(db, {
    token_hash: hashSecret('the-token'),
    user_guid: ANN,
    xsrf: 'x',
    ...times,
    ...from,
  });
});
afterEach(async () => {
  await storage[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Wraps the database: a look-up of a key or session can be paused after its read. */
function holding(db: Database): Database {
  const held_ = async (row: unknown) => {
    if (held === null) return row;
    const { reached, until } = held;
    held = null;
    reached();
    await until;
    return row;
  };
  const slowly = (builder: object): object =>
    new Proxy(builder, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => {
          const response: unknown = Reflect.apply(member, target, given);
          if (name === 'executeTakeFirst') return Promise.resolve(response).then(held_);
          return typeof response === 'object' && response !== null ? slowly(response) : response;
        };
      },
    });
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'selectFrom') return Reflect.get(target, name, target) as unknown;
      return (table: 'api_key' | 'session') => slowly(target.selectFrom(table));
    },
  });
}

function create(): Authenticator {
  const events = {
    record: async () => undefined,
    flush: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return createAuthenticator({
    storage: { ...storage, db: holding(storage.db) },
    clock: { now: () => 2_000_000 },
    idleTimeout: 0,
    signIn: { by: 'form', check: () => Promise.reject(new Error('not asked')) },
    visitorKeys: 'off',
    onForget: () => undefined,
    events,
  });
}

/** Sends a request whose look-up reads the account before `change` and continues after it. */
async function during(
  authenticator: Authenticator,
  headers: typeof KEY | typeof SESSION,
  change: () => Promise<unknown>,
): Promise<void> {
  let go!: () => void;
  const until = new Promise<void>((resolve) => (go = resolve));
  const reached = new Promise<void>((resolve) => (held = { reached: resolve, until }));
  const before = authenticator.identify(headers, 'GET');
  await reached;
  await change();
  authenticator.forget(ANN);
  go();
  await before.catch(() => undefined);
}

test('M2: a key revoked during its lookup is rejected afterwards', async () => {
  const authenticator = create();
  await during(authenticator, KEY, () => removeApiKey(storage.db, ANN, 1, 1));
  await expect(authenticator.identify(KEY, 'GET')).rejects.toMatchObject({ code: 24 });
});

test('M2: a session ended during its lookup is over afterwards', async () => {
  const authenticator = create();
  await during(authenticator, SESSION, () => removeSession(storage.db, hashSecret('the-token')));
  expect(await authenticator.identify(SESSION, 'GET')).toBe(null);
});

test('M2: a user locked or given another role during the lookup has that state afterwards', async () => {
  const authenticator = create();
  await during(authenticator, KEY, () => updateUserRow(storage.db, ANN, { user_role: 'viewer' }));
  expect(await authenticator.identify(KEY, 'GET')).toMatchObject({ role: 'viewer' });
  authenticator.forget(ANN);
  await during(authenticator, KEY, () => updateUserRow(storage.db, ANN, { locked: 1 }));
  await expect(authenticator.identify(KEY, 'GET')).rejects.toMatchObject({ code: 50 });
});

test('caches a lookup without concurrent changes', async () => {
  const authenticator = create();
  await authenticator.identify(KEY, 'GET');
  await updateUserRow(storage.db, ANN, { user_role: 'viewer' });
  expect(await authenticator.identify(KEY, 'GET')).toMatchObject({ role: 'administrator' });
});

test('reports a key in a new network though the first database write failed', async () => {
  const told: string[] = [];
  let isAway = false;
  const authenticator = createAuthenticator({
    storage: {
      ...storage,
      write: (work, about) =>
        isAway ? Promise.reject(new Error('the database is away')) : storage.write(work, about),
    },
    clock: { now: () => 2_000_000 },
    idleTimeout: 0,
    signIn: { by: 'form', check: () => Promise.reject(new Error('not asked')) },
    visitorKeys: 'off',
    onForget: () => undefined,
    events: {
      record: async ({ description }) => void told.push(description),
      flush: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
  });
  await authenticator.identify(KEY, 'GET', '192.0.2.1');
  isAway = true;
  await expect(authenticator.identify(KEY, 'GET', '192.0.2.2')).rejects.toThrow('the database is away');
  isAway = false;
  await authenticator.identify(KEY, 'GET', '192.0.2.2');
  expect(told).toEqual([expect.stringMatching(/192\.0\.2\.2/)]);
});
