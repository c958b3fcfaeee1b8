// Covers the limits of what waits for a person: nobody fills them for others, and what is refused writes nothing.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemIds } from '../platform/clock.ts';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { beginDeviceSignIn } from './device/commands.ts';
import { insertDeviceSignIn } from './device/store.ts';
import { registerToken } from './tokens/commands.ts';
import { insertToken } from './tokens/store.ts';

const NOW = 1_000_000_000;
const HOUR = 3_600_000_000;

let directory: string;
let storage: Storage;
let writes: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-pending-'));
  storage = await openStorage(join(directory, 'test.sqlite'));
  writes = 0;
});
afterEach(async () => {
  await storage[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function createParts(now = NOW) {
  const write: Storage['write'] = (work, about) => {
    writes += 1;
    return storage.write(work, about);
  };
  return { storage: { ...storage, write }, clock: { now: () => now } };
}

const random = () => randomBytes(16).toString('hex');
const begun = { created_time: NOW, expires_time: NOW + HOUR, address: '' };
const KINDS = {
  'device sign-ins': {
    most: 50,
    fill: (network: string) =>
      insertDeviceSignIn(storage.db, {
        device_hash: random(),
        user_code_hash: random(),
        client_name: 'One of many',
        network,
        poll_seconds: 5,
        polled_time: 0,
        decision: null,
        user_guid: null,
        purpose: 'sign_in',
        asked_by: null,
        ...begun,
      }),
    add: (address: string, now?: number) => {
      const secrets = createSecrets(Buffer.alloc(32, 1).toString('base64'));
      return beginDeviceSignIn({ ...createParts(now), ids: systemIds(), secrets }, 'A program', address);
    },
  },
  tokens: {
    most: 200,
    fill: (network: string) =>
      insertToken(storage.db, {
        token_hash: random(),
        public_key: random(),
        client_name: 'One of many',
        network,
        denied: 0,
        ...begun,
      }),
    add: (address: string, now?: number) => {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
      return registerToken(createParts(now), { token: random(), public_key }, 'A program', address);
    },
  },
};

describe.each(Object.entries(KINDS))('Pending %s', (_, { most, fill, add }) => {
  test('of one network are limited, and a refused one writes nothing', async () => {
    for (let i = 0; i < most; i += 1) await fill('192.0.2.1');
    await expect(add('192.0.2.1')).rejects.toMatchObject({ code: 25 });
    expect(writes).toBe(0);
    await add('192.0.2.2');
    expect(writes).toBe(1);
  });

  test('of the many networks of one IPv6 site are limited', async () => {
    for (let i = 0; i < 4 * most; i += 1) await fill(`2001:db8:1:${(i % 500).toString(16)}`);
    await expect(add('2001:db8:1:ffff::1')).rejects.toMatchObject({ code: 25 });
    await add('2001:db8:11:ffff::1');
    await add('192.0.2.1');
  });

  test('that have expired do not count', async () => {
    for (let i = 0; i < most; i += 1) await fill('192.0.2.1');
    await add('192.0.2.1', NOW + 2 * HOUR + 1);
    expect(writes).toBe(1);
  });
});

test('a token that is registered again writes nothing, unless it has expired', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const register = (now?: number) =>
    registerToken(createParts(now), { token: 'a token', public_key }, 'A program', '');
  await register();
  await expect(register()).rejects.toMatchObject({ code: 85 });
  expect(writes).toBe(1);
  expect(await register(NOW + 2 * HOUR + 1)).toBe('a token');
});
