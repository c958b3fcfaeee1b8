// Covers sign-in with a passkey: what strangers send costs no write, and each response is accepted once.
import { generateKeyPairSync, hash, sign, type KeyObject } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insertUser } from '../../people/store.ts';
import { openStorage, type Storage } from '../../platform/database/storage.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import { askForPasskey, checkPasskey } from './passkeys.ts';
import { insertPasskey, removePasskey } from './store.ts';

const BASE = 'http://localhost:3939';
const ANN = 'ann-guid';
const ID = Buffer.from('the passkey of ann').toString('base64url');

let directory: string;
let storage: Storage;
let key: KeyObject;
let writes: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-passkeys-'));
  storage = await openStorage(join(directory, 'test.sqlite'));
  const account = { username: 'ann', email: '', first_name: 'Ann', last_name: '', password_hash: null };
  const state = { must_set_password: 0, confirmed: 1, locked: 0, created_time: 1, updated_time: 1 } as const;
  const rest = { user_role: 'viewer', unique_id: null, active_time: null } as const;
  await insertUser(storage.db, { guid: ANN, ...account, ...state, ...rest });
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  key = pair.privateKey;
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
  const [first, second] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  // COSE: an elliptic key for ES256 on P-256.
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    first,
    Buffer.from('225820', 'hex'),
    second,
  ]);
  const stored = { name: 'Mine', public_key: cose.toString('base64url'), counter: 0, transports: '' };
  await insertPasskey(storage.db, {
    id: ID,
    user_guid: ANN,
    ...stored,
    created_time: 1,
    last_used_time: null,
  });
  writes = 0;
});
afterEach(async () => {
  await storage[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function createParts() {
  const write: Storage['write'] = (work, about) => {
    writes += 1;
    return storage.write(work, about);
  };
  const secrets = createSecrets(Buffer.alloc(32, 1).toString('base64'));
  return { storage: { ...storage, write }, clock: { now: () => 2_000_000 }, secrets };
}

/** The response of a synchronized passkey, which counts nothing, with user presence and verification. */
function respond(options: string): string {
  const { challenge } = JSON.parse(options) as { challenge: string };
  const client = JSON.stringify({ type: 'webauthn.get', challenge, origin: BASE, crossOrigin: false });
  const data = Buffer.concat([hash('sha256', 'localhost', 'buffer'), Buffer.from('0500000000', 'hex')]);
  const signed = Buffer.concat([data, hash('sha256', client, 'buffer')]);
  return JSON.stringify({
    id: ID,
    rawId: ID,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: Buffer.from(client).toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, key).toString('base64url'),
    },
  });
}

test('a response without a valid signature writes nothing to the database', async () => {
  const parts = createParts();
  const { state, options } = await askForPasskey(parts, null, BASE);
  const { challenge: _, ...other } = JSON.parse(options) as { challenge: string };
  const forged = respond(JSON.stringify({ ...other, challenge: 'AAAA' }));
  for (const response of ['', '{"id":"unknown"}', `{"id":"${ID}"}`, forged])
    await expect(checkPasskey(parts, null, { state, response }, BASE)).rejects.toMatchObject({ code: 30 });
  expect(writes).toBe(0);
  // Nor does it use up the challenge of the browser that was asked.
  expect(await checkPasskey(parts, null, { state, response: respond(options) }, BASE)).toMatchObject({
    guid: ANN,
  });
});

test('a response is accepted once, also from a passkey that does not count', async () => {
  const parts = createParts();
  const { state, options } = await askForPasskey(parts, null, BASE);
  const response = respond(options);
  const tries = [1, 2].map(() => checkPasskey(parts, null, { state, response }, BASE));
  const results = await Promise.allSettled(tries);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(checkPasskey(parts, null, { state, response }, BASE)).rejects.toMatchObject({ code: 30 });
});

test('a passkey that is removed while it is verified signs nobody in', async () => {
  const parts = createParts();
  const { state, options } = await askForPasskey(parts, null, BASE);
  const write: Storage['write'] = async (work, about) => {
    await removePasskey(storage.db, ANN, ID);
    return storage.write(work, about);
  };
  const late = { ...parts, storage: { ...storage, write } };
  await expect(checkPasskey(late, null, { state, response: respond(options) }, BASE)).rejects.toMatchObject({
    code: 30,
  });
});
