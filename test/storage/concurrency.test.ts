// Writers at the same time: no lost update, and no state that the contract does not have.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeArchive, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

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

test('uploads and the deletion of their content leave nothing behind', async () => {
  const guid = await create('upload-and-delete');
  const uploads = times(6, () => owner.call('POST', `/v1/content/${guid}/bundles`, { raw: page }));
  const removed = await owner.call('DELETE', `/v1/content/${guid}`);
  expect(removed.status).toBe(204);
  for (const { status } of await uploads) expect([200, 404]).toContain(status);
  expect(await readdir(join(server.dataDir, 'bundles'))).toEqual([]);
});

test('a deploy and the deletion of its content leave nothing behind', async () => {
  const guid = await create('deploy-and-delete');
  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: page });
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
  expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  expect((await owner.call('GET', `/v1/tasks/${task_id}?wait=20`)).body.finished).toBe(true);
  expect(await readdir(join(server.dataDir, 'content'))).not.toContain(guid);
});

test('one of many creations of the same name succeeds', async () => {
  const contents = await times(8, () => owner.call('POST', '/v1/content', { body: { name: 'only-one' } }));
  expect(contents.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([
    200,
    ...Array<number>(7).fill(409),
  ]);
  const body = { username: 'only.one', password: 'secret1' };
  const users = await times(4, () => admin.call('POST', '/v1/users', { body }));
  expect(users.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409]);
});

test('updates of different fields at the same time are all kept', async () => {
  const guid = await create('many-updates');
  const bodies = [{ title: 'A title' }, { description: 'text' }, { max_processes: 4 }, { idle_timeout: 9 }];
  await times(bodies.length, (i) => owner.call('PATCH', `/v1/content/${guid}`, { body: bodies[i] }));
  expect((await owner.call('GET', `/v1/content/${guid}`)).body).toMatchObject(Object.assign({}, ...bodies));
});

test('once a lock is answered no request gets through, whatever was under way', async () => {
  const viewer = await server.person('viewer');
  const during = times(20, () => viewer.call('GET', '/v1/user'));
  await admin.call('POST', `/v1/users/${viewer.guid}/lock`, { body: { locked: true } });
  for (const { status } of await during) expect([200, 403]).toContain(status);
  const after = await times(5, () => viewer.call('GET', '/v1/user'));
  expect(after.map((answer) => answer.body.code)).toEqual([50, 50, 50, 50, 50]);
});

test('once a role is taken away its rights are gone', async () => {
  const publisher = await server.person('publisher');
  const during = times(10, (i) => publisher.call('POST', '/v1/content', { body: { name: `during-${i}` } }));
  await admin.call('PUT', `/v1/users/${publisher.guid}`, { body: { user_role: 'viewer' } });
  for (const { status } of await during) expect([200, 403]).toContain(status);
  const after = await publisher.call('POST', '/v1/content', { body: { name: 'after' } });
  expect(after).toMatchObject({ status: 403, body: { code: 22 } });
});
