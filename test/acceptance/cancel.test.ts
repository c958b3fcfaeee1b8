// Covers cancelling a task by its owner or an administrator, an addition to the contract.
import {
  holdDeploys,
  makeArchive,
  refused,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelAs } from '../../packages/server/src/tasks/commands.ts';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: { 'HTTP.ShutdownTimeout': 1 } });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;

async function withBundle() {
  count += 1;
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: `cancel-${count}` } })).body;
  const raw = makeArchive({ 'index.html': 'page' });
  const { id } = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  return { guid: guid as string, bundle: id as string };
}

/** Creates a task that runs until it is cancelled. */
async function endlessTask() {
  const { guid, bundle } = await withBundle();
  const { storage, tasks } = server.running.services;
  const subject = {
    kind: 'deploy',
    content_guid: guid,
    bundle_id: Number(bundle),
    user_guid: owner.guid,
  } as const;
  const id = await storage.write((tx) => tasks.create(tx, subject));
  const begin = () =>
    tasks.run(id, ({ log, signal }) => {
      log('working');
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    });
  return { id, guid, begin };
}

test('server settings report that tasks can be cancelled', async () => {
  expect((await server.anonymous('GET', '/server_settings')).body.task_cancel).toBe(true);
});

test.each([
  ['its user', () => Promise.resolve(owner)],
  ['an administrator', () => server.administrator()],
])('running work stops when %s cancels its task', async (_who, person) => {
  const { id, begin } = await endlessTask();
  const done = begin();
  const response = await (await person()).call('POST', `/v1/tasks/${id}/cancel`);
  expect(response).toMatchObject({ status: 200, body: { id, output: [] } });
  await done;
  expect((await owner.call('GET', `/v1/tasks/${id}?wait=20`)).body).toMatchObject({
    finished: true,
    code: 1,
    error: 'The task was cancelled.',
    end_reason: 'cancelled',
  });
  const log = (await (await server.administrator()).call('GET', '/v1/audit_logs?limit=500')).body;
  expect(log.results).toContainEqual(
    expect.objectContaining({
      action: 'cancel_task',
      event_description: expect.stringContaining(`Cancelling task ${id}`),
    }),
  );
});

test('a cancelled task that is still queued never starts', async () => {
  const { id, begin } = await endlessTask();
  expect((await owner.call('POST', `/v1/tasks/${id}/cancel`)).body).toMatchObject({
    finished: true,
    code: 1,
    error: 'The task was cancelled.',
  });
  await begin();
  expect((await owner.call('GET', `/v1/tasks/${id}`)).body).toMatchObject({
    output: [],
    end_reason: 'cancelled',
  });
});

test('a task that ended before it could be cancelled leaves no entry in the audit log', async () => {
  const { id, begin } = await endlessTask();
  const { storage, audit, tasks } = server.running.services;
  const seen = (await tasks.find(id))!;
  const done = begin();
  await owner.call('POST', `/v1/tasks/${id}/cancel`);
  await done;
  const { guid, username } = owner;
  const caller = { guid, username, full_name: '', role: 'publisher', by: 'key', content_guid: null } as const;
  await cancelAs({ storage, audit, tasks }, caller, seen);
  const log = (await (await server.administrator()).call('GET', '/v1/audit_logs?limit=500')).body.results;
  const about = log.filter((one: { event_description: string }) => one.event_description.includes(id));
  expect(about.filter((one: { action: string }) => one.action === 'cancel_task')).toHaveLength(1);
});

test('only permitted users cancel a task; an unknown task is error 141', async () => {
  const { id } = await endlessTask();
  const stranger = await server.person('publisher');
  expect(await stranger.call('POST', `/v1/tasks/${id}/cancel`)).toMatchObject(refused(403, 22));
  expect((await owner.call('GET', `/v1/tasks/${id}`)).body.finished).toBe(false);
  expect(await owner.call('POST', '/v1/tasks/AAAAAAAAAAAAAAAA/cancel')).toMatchObject(refused(404, 141));
});

test('cancelling a finished deploy has no effect', async () => {
  const { guid, bundle } = await withBundle();
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
  await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
  expect((await owner.call('POST', `/v1/tasks/${task_id}/cancel`)).body).toMatchObject({
    finished: true,
    code: 0,
    error: '',
  });
  expect((await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBe(bundle);
});

test('cancelling a queued deploy keeps the previous bundle active', async () => {
  const { guid, bundle } = await withBundle();
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
  await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
  const raw = makeArchive({ 'index.html': 'newer' });
  const { id } = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  const { storage, tasks, deploys } = server.running.services;
  const row = await storage.db
    .selectFrom('bundle')
    .selectAll()
    .where('id', '=', Number(id))
    .executeTakeFirstOrThrow();
  const subject = {
    kind: 'deploy',
    content_guid: guid,
    bundle_id: Number(id),
    user_guid: owner.guid,
  } as const;
  const task = await storage.write((tx) => tasks.create(tx, subject));
  await owner.call('POST', `/v1/tasks/${task}/cancel`);
  await deploys.run(task, row, 'deploy');
  expect((await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBe(bundle);
});

test('content whose deploy waits for those of others is deleted at once', async () => {
  await using own = await startTestServer({ settings: { 'Applications.MaxConcurrentDeploys': 1 } });
  const other = await own.person('publisher');
  const mine = await own.person('publisher');
  const create = async (person: Person, name: string) =>
    (await person.call('POST', '/v1/content', { body: { name } })).body.guid as string;
  const release = await holdDeploys(own, other, await create(other, 'slow'));
  const guid = await create(mine, 'queued');
  const bundle_id = await upload(mine, guid, { 'index.html': 'never shown' });
  const { body } = await mine.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id } });
  expect((await mine.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  expect((await mine.call('GET', `/v1/tasks/${body.task_id}`)).body).toMatchObject({
    finished: true,
    error: 'The task was cancelled.',
  });
  release();
});
