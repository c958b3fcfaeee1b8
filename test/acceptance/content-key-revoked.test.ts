// Covers a revoked content key: it stays revoked after a restart, and the next deploy creates another.
import { caller, makeArchive, startTestServer, type TestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { createContentKeys } from '../../packages/server/src/content/content-keys.ts';
import { findContent } from '../../packages/server/src/content/store.ts';
import { createSecrets } from '../../packages/server/src/platform/secrets/secrets.ts';
import { listContentKeys } from '../../packages/server/src/sign-in/store.ts';

async function keyOf({ running }: TestServer, guid: string): Promise<string> {
  const { storage, secrets, clock } = running.services;
  return createContentKeys(storage, secrets, clock).keyFor((await findContent(storage.db, guid))!);
}

test('a revoked content key stays revoked after a restart, and the next deploy creates another', async () => {
  await using server = await startTestServer({ settings: {} });
  const owner = await server.person('publisher');
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'keyed' } })).body;
  const first = await keyOf(server, guid);
  const status = async (key: string) => (await caller(() => server.url, key)('GET', '/v1/user')).status;
  expect([first !== '', await status(first)]).toEqual([true, 200]);

  const { storage } = server.running.services;
  const [listed] = await listContentKeys(storage.db, owner.guid);
  expect(listed).toMatchObject({ content_guid: guid, content_name: 'keyed' });
  // Keys created by people are listed separately.
  expect((await owner.call('GET', `/v1/users/${owner.guid}/keys`)).body).toHaveLength(1);
  const revoke = () => owner.call('DELETE', `/v1/users/${owner.guid}/keys/${listed!.id}`);
  expect((await revoke()).status).toBe(204);
  expect((await revoke()).status).toBe(404);
  expect(await status(first)).toBe(401);
  expect(await keyOf(server, guid)).toBe('');

  await server.restart();
  expect(await keyOf(server, guid)).toBe('');
  expect(await status(first)).toBe(401);
  expect(await listContentKeys(server.running.services.storage.db, owner.guid)).toEqual([]);

  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive({ 'index.html': 'x' }) });
  expect((await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} })).status).toBe(200);
  const second = await keyOf(server, guid);
  expect([second === first, second === '', await status(second)]).toEqual([false, false, 200]);
  expect(await status(first)).toBe(401);
});

test('changing the secret key replaces the content key and voids the previous one', async () => {
  await using server = await startTestServer({ settings: {} });
  const owner = await server.person('publisher');
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'keyed' } })).body;
  const first = await keyOf(server, guid);
  const { storage, clock } = server.running.services;
  const content = (await findContent(storage.db, guid))!;
  const rotated = createContentKeys(storage, createSecrets('another key'), clock);
  const second = await rotated.keyFor(content);
  expect(await rotated.keyFor(content)).toBe(second);
  expect(second).not.toBe(first);
  const status = async (key: string) => (await caller(() => server.url, key)('GET', '/v1/user')).status;
  expect([await status(first), await status(second)]).toEqual([401, 200]);
  expect(await listContentKeys(storage.db, owner.guid)).toHaveLength(1);
});

test('variables sealed with the previous key are sealed again at startup', async () => {
  const [before, after] = [
    'the key before, which was one of a long time',
    'the key after, which is to stay a while',
  ];
  await using server = await startTestServer({ settings: { 'Secrets.Key': before } });
  const owner = await server.person('publisher');
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'sealed' } })).body;
  const path = `/v1/content/${guid}/environment`;
  expect((await owner.call('PATCH', path, { body: [{ name: 'TOKEN', value: 'value' }] })).status).toBe(200);
  await server.restart({ 'Secrets.Key': after, 'Secrets.PreviousKeys': before });
  await server.restart({ 'Secrets.Key': after });
  const { storage, secrets } = server.running.services;
  const row = await storage.db.selectFrom('environment').selectAll().executeTakeFirstOrThrow();
  expect(secrets.isCurrent(row.value)).toBe(true);
  expect(secrets.decrypt(row.value, `${guid}/TOKEN`)).toBe('value');
});

test('a revoked content key stays revoked when the content returns to its owner', async () => {
  await using server = await startTestServer({ settings: {} });
  const [owner, other] = [await server.person('publisher'), await server.person('publisher')];
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'lent' } })).body;
  const first = await keyOf(server, guid);
  const [listed] = await listContentKeys(server.running.services.storage.db, owner.guid);
  await owner.call('DELETE', `/v1/users/${owner.guid}/keys/${listed!.id}`);
  const status = async (key: string) => (await caller(() => server.url, key)('GET', '/v1/user')).status;
  expect(await status(first)).toBe(401);

  const hand = (from: typeof owner, to: typeof owner) =>
    from.call('PUT', `/v1/content/${guid}/owner`, { body: { owner_guid: to.guid, keep: null } });
  expect(await hand(owner, other)).toMatchObject({ status: 204 });
  const theirs = await keyOf(server, guid);
  expect([theirs === first, await status(theirs)]).toEqual([false, 200]);
  expect(await hand(other, owner)).toMatchObject({ status: 204 });
  expect(await status(theirs)).toBe(401);
  expect([await keyOf(server, guid), await status(first)]).toEqual(['', 401]);

  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive({ 'index.html': 'x' }) });
  await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} });
  const second = await keyOf(server, guid);
  expect([second === first, await status(second), await status(first)]).toEqual([false, 200, 401]);
});
