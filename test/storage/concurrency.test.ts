// Covers simultaneous writers: no update is lost, and no state occurs that the contract does not have.
import { generateKeyPairSync } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  finishedTask,
  makeArchive,
  startTestServer,
  totpCode,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enforceRetention, uploadBundle } from '../../packages/server/src/bundles/commands.ts';
import { findBundle, listBundles } from '../../packages/server/src/bundles/store.ts';
import { findContent } from '../../packages/server/src/content/store.ts';
import { callerOf } from '../../packages/server/src/git/deploy-commit.ts';
import { lockUser } from '../../packages/server/src/people/commands.ts';
import { updateUserRow, userOf } from '../../packages/server/src/people/store.ts';
import type { Storage } from '../../packages/server/src/platform/database/storage.ts';
import { hashSecret } from '../../packages/server/src/sign-in/authenticator.ts';
import { beginSession } from '../../packages/server/src/sign-in/begin-session.ts';
import { beginDeviceSignIn, decideDeviceSignIn } from '../../packages/server/src/sign-in/device/commands.ts';
import { changePassword } from '../../packages/server/src/sign-in/passwords/commands.ts';
import {
  addTotp,
  factorsOf,
  makeRecoveryCodes,
  offerTotp,
  removeTotp,
} from '../../packages/server/src/sign-in/second-factors/commands.ts';
import { removePasskey } from '../../packages/server/src/sign-in/second-factors/passkeys.ts';
import { finishWithNewTotp } from '../../packages/server/src/sign-in/second-factors/second-step.ts';
import { signOut } from '../../packages/server/src/sign-in/sessions.ts';
import { listApiKeys, listSessions } from '../../packages/server/src/sign-in/store.ts';
import { decideToken, registerToken } from '../../packages/server/src/sign-in/tokens/commands.ts';

const page = makeArchive({ 'index.html': 'x', 'data.bin': Buffer.alloc(500_000, 'data') });
let server: TestServer;
let admin: Person;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  [admin, owner] = [await server.administrator(), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

const create = async (name: string): Promise<string> =>
  (await owner.call('POST', '/v1/content', { body: { name } })).body.guid;
const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

test('uploads during the deletion of their content leave no files', async () => {
  const guid = await create('upload-and-delete');
  const uploads = times(6, () => owner.call('POST', `/v1/content/${guid}/bundles`, { raw: page }));
  const removed = await owner.call('DELETE', `/v1/content/${guid}`);
  expect(removed.status).toBe(204);
  for (const { status } of await uploads) expect([200, 404]).toContain(status);
  expect(await readdir(join(server.dataDir, 'bundles'))).toEqual([]);
});

test('an upload whose key is revoked before its end stores nothing', async () => {
  const publisher = await server.person('publisher');
  const { guid } = (await publisher.call('POST', '/v1/content', { body: { name: 'revoked' } })).body;
  const keys = (await publisher.call('GET', `/v1/users/${publisher.guid}/keys`)).body;
  const bundles = () => readdir(join(server.dataDir, 'bundles'));
  const before = await bundles();
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  const uploading = publisher.call('POST', `/v1/content/${guid}/bundles`, { raw: readable });
  await writer.write(page.subarray(0, 100));
  // The upload was authenticated: its file is there.
  await expect.poll(bundles).toHaveLength(before.length + 1);
  const revoked = await publisher.call('DELETE', `/v1/users/${publisher.guid}/keys/${keys[0].id}`);
  expect(revoked.status).toBe(204);
  await writer.write(page.subarray(100));
  await writer.close();
  expect(await uploading).toMatchObject({ status: 401, body: { code: 24 } });
  expect(await bundles()).toEqual(before);
});

test('a deploy during the deletion of its content leaves no files', async () => {
  const guid = await create('deploy-and-delete');
  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: page });
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
  expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  expect((await owner.call('GET', `/v1/tasks/${task_id}?wait=20`)).body.finished).toBe(true);
  const left = async () =>
    (await readdir(join(server.dataDir, 'content'))).filter((name) => name.startsWith(guid));
  await expect.poll(left).toEqual([]);
});

test('retention keeps a bundle that went live while retention waited', async () => {
  const { services } = server.running;
  const { db } = services.storage;
  const guid = await create('retained');
  const deploy = async () => {
    const id = await upload(owner, guid, { 'index.html': 'x' });
    const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: id } });
    expect(await finishedTask(owner, body.task_id)).toMatchObject({ code: 0 });
    return id;
  };
  await deploy();
  const before = (await findContent(db, guid))!;
  const live = await deploy();
  const newest = await upload(owner, guid, { 'index.html': 'x' });
  const caller = await callerOf(db, { user_guid: owner.guid });
  const config = { ...services.config, 'Applications.BundleRetention': 1 };
  await enforceRetention({ ...services, config }, before, caller);
  expect((await listBundles(db, guid)).rows.map(({ id }) => String(id))).toEqual([live, newest]);
});

/** Uploads with a transaction replaced by `once`; later transactions are real. */
async function uploadOver(guid: string, once: (real: Storage['write']) => Storage['write']) {
  const { services } = server.running;
  const caller = await callerOf(services.storage.db, { user_guid: owner.guid });
  const { write } = services.storage;
  let isFirst = true;
  const storage: Storage = {
    ...services.storage,
    write(work, about) {
      const own = isFirst ? once(write) : write;
      isFirst = false;
      return own(work, about);
    },
  };
  return uploadBundle({ ...services, storage }, caller, guid, { source: Readable.from([page]) });
}

async function archiveOf(guid: string): Promise<Buffer> {
  const { blobs, storage } = server.running.services;
  const { rows } = await listBundles(storage.db, guid);
  expect(rows).toHaveLength(1);
  return buffer((await blobs.open((await findBundle(storage.db, rows[0]!.id))!)).stream);
}

test('an upload whose commit response is lost keeps its archive', async () => {
  const guid = await create('answer-lost');
  const lost = uploadOver(guid, (write) => async (work, about) => {
    await write(work, about);
    throw new Error('the response is lost');
  });
  await expect(lost).rejects.toThrow('the response is lost');
  expect(await archiveOf(guid)).toEqual(page);
});

test('a failed upload removes only its own archive', async () => {
  const guid = await create('id-again');
  const failed = uploadOver(guid, (write) => async (work, about) => {
    const rolledBack = write(async (tx) => {
      await work(tx);
      throw new Error('the disk is full');
    }, about);
    await rolledBack.catch(() => undefined);
    // On SQLite, the id is assigned again.
    expect((await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: page })).status).toBe(200);
    return rolledBack as never;
  });
  await expect(failed).rejects.toThrow('the disk is full');
  expect(await archiveOf(guid)).toEqual(page);
});

test('of concurrent creations with the same name exactly one succeeds', async () => {
  const contents = await times(8, () => owner.call('POST', '/v1/content', { body: { name: 'only-one' } }));
  expect(contents.map((response) => response.status).sort((a, b) => a - b)).toEqual([
    200,
    ...Array<number>(7).fill(409),
  ]);
  const body = { username: 'only.one', password: 'secret1' };
  const users = await times(4, () => admin.call('POST', '/v1/users', { body }));
  expect(users.map((response) => response.status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409]);
});

test('concurrent updates of different fields are all kept', async () => {
  const guid = await create('many-updates');
  const bodies = [{ title: 'A title' }, { description: 'text' }, { max_processes: 4 }, { idle_timeout: 9 }];
  await times(bodies.length, (i) => owner.call('PATCH', `/v1/content/${guid}`, { body: bodies[i] }));
  expect((await owner.call('GET', `/v1/content/${guid}`)).body).toMatchObject(Object.assign({}, ...bodies));
});

test('once a lock has been answered, the locked user gets error 50', async () => {
  const viewer = await server.person('viewer');
  const during = times(20, () => viewer.call('GET', '/v1/user'));
  await admin.call('POST', `/v1/users/${viewer.guid}/lock`, { body: { locked: true } });
  for (const { status } of await during) expect([200, 403]).toContain(status);
  const after = await times(5, () => viewer.call('GET', '/v1/user'));
  expect(after.map((response) => response.body.code)).toEqual([50, 50, 50, 50, 50]);
});

test('once a role has been removed, its rights are gone', async () => {
  const publisher = await server.person('publisher');
  const during = times(10, (i) => publisher.call('POST', '/v1/content', { body: { name: `during-${i}` } }));
  await admin.call('PUT', `/v1/users/${publisher.guid}`, { body: { user_role: 'viewer' } });
  for (const { status } of await during) expect([200, 403]).toContain(status);
  const after = await publisher.call('POST', '/v1/content', { body: { name: 'after' } });
  expect(after).toMatchObject({ status: 403, body: { code: 22 } });
});

test('of two administrators who lock each other at once, one stays', async () => {
  await using own = await startTestServer({ settings: {} });
  const both = [await own.administrator(), await own.person('administrator')];
  const { services } = own.running;
  // The callers as read at the beginning of their requests.
  const callers = await Promise.all(
    both.map(({ guid }) => callerOf(services.storage.db, { user_guid: guid })),
  );
  const locks = callers.map((caller, i) => lockUser(services, caller, both[1 - i]!.guid, true));
  const ends = await Promise.allSettled(locks);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 61 } });
});

test.each([
  ['is locked', { locked: 1 }, 50],
  ['gets another password', { password_hash: 'another' }, 99],
  // The new one may require a second factor.
  ['gets another role', { user_role: 'administrator' }, 99],
] as const)('sign-in fails for an account that %s meanwhile', async (_what, changes, code) => {
  const { guid } = await server.person('viewer');
  const { services } = server.running;
  const { db } = services.storage;
  const asProved = await userOf(db, guid);
  await updateUserRow(db, guid, changes);
  const visit = { address: '', agent: '', previous: null, device: null };
  const begun = beginSession(services, asProved, visit, 'password');
  await expect(begun).rejects.toMatchObject({ code });
  expect(await listSessions(db, guid, 0)).toEqual([]);
});

test.each([
  ['is locked', { locked: 1 }, 50],
  ['gets another password', { password_hash: 'another' }, 99],
] as const)('a change of password fails for an account that %s meanwhile', async (_what, changes, code) => {
  const { guid } = await server.person('viewer');
  const { services } = server.running;
  const { storage, passwords } = services;
  const caller = { ...(await callerOf(storage.db, { user_guid: guid })), by: 'session' as const };
  const hash = async (password: string) => {
    await updateUserRow(storage.db, guid, changes);
    return passwords.hash(password);
  };
  const visit = { address: '', agent: '', previous: null, device: null };
  const wanted = { current: 'correct horse', next: 'battery staple' };
  const changing = changePassword(
    { ...services, passwords: { ...passwords, hash } },
    caller,
    wanted,
    visit,
    '',
  );
  await expect(changing).rejects.toMatchObject({ code });
  expect(await userOf(storage.db, guid)).toMatchObject(changes);
});

test('a program that waits for a decision gets no key of an account that was locked meanwhile', async () => {
  const { guid } = await server.person('viewer');
  const { services } = server.running;
  const { db } = services.storage;
  const caller = { ...(await callerOf(db, { user_guid: guid })), by: 'session' as const };
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const token = await registerToken(services, { token: 'T'.repeat(32), public_key }, 'R', '192.0.2.1');
  const { userCode } = await beginDeviceSignIn(services, 'A program', '192.0.2.1');
  await updateUserRow(db, guid, { locked: 1 });
  await expect(decideToken(services, caller, token, 'allowed')).rejects.toMatchObject({ code: 50 });
  const decision = { decision: 'allowed', isFresh: true } as const;
  await expect(decideDeviceSignIn(services, caller, userCode, decision)).rejects.toMatchObject({ code: 50 });
  expect(await listApiKeys(db, guid)).toHaveLength(1);
});

test('what a session waits for is not done once the session has ended', async () => {
  const { guid } = await server.person('viewer');
  const { services } = server.running;
  const { db } = services.storage;
  const visit = { address: '', agent: '', previous: null, device: null };
  const user = await userOf(db, guid);
  const { token: ended } = await beginSession(services, user, visit, null);
  const caller = {
    ...(await callerOf(db, { user_guid: guid })),
    by: 'session',
    session: hashSecret(ended),
  } as const;
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const token = await registerToken(services, { token: 'E'.repeat(32), public_key }, 'R', '192.0.2.1');
  const { userCode } = await beginDeviceSignIn(services, 'A program', '192.0.2.1');
  const decision = { decision: 'allowed', isFresh: true } as const;
  const offer = offerTotp(services, user);
  const totp = { sealed: offer.sealed, code: totpCode(offer.secret, Date.now()) };
  const passwords = { current: 'correct horse', next: 'battery staple' };
  await signOut(services, ended);
  for (const work of [
    () => decideToken(services, caller, token, 'allowed'),
    () => decideDeviceSignIn(services, caller, userCode, decision),
    () => changePassword(services, caller, passwords, visit, ''),
    () => addTotp(services, user, caller, totp),
    () => makeRecoveryCodes(services, caller),
    () => removeTotp(services, caller),
    () => removePasskey(services, caller, 'any'),
  ])
    await expect(work()).rejects.toMatchObject({ code: 24 });
  expect(await listApiKeys(db, guid)).toHaveLength(1);
  expect((await userOf(db, guid)).password_hash).toBe(user.password_hash);
  expect(await factorsOf(services, guid)).toEqual({ totp: false, recoveryCodes: 0, passkeys: [] });
});

test('of two who set up a required app at once, one does, and the other proves it', async () => {
  const { guid } = await server.person('viewer');
  const { services } = server.running;
  const user = await userOf(services.storage.db, guid);
  const visit = { address: '', agent: '', previous: null, device: null };
  const step = { user, kind: 'enrol', totp: false, passkeys: false, sealed: '' } as const;
  const enrol = async () => {
    const { sealed, secret } = offerTotp(services, user);
    return finishWithNewTotp(services, step, { sealed, code: totpCode(secret, Date.now()) }, visit);
  };
  const outcomes = await Promise.allSettled([enrol(), enrol()]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 99 } });
});

test('a list of bundles does not load their manifests', async () => {
  const guid = await create('listed');
  await upload(owner, guid, { 'index.html': 'x' });
  const { rows } = await listBundles(server.running.services.storage.db, guid);
  expect(rows).toHaveLength(1);
  for (const large of ['manifest', 'parameters']) expect(rows[0]).not.toHaveProperty(large);
});
