// Covers simultaneous releases: each has one outcome, is audited, and nothing is lost. See also: approvals for approve
// and push, canaries for promote and roll back, trusted-publishers for a token used twice.
import {
  finishedTask,
  grant,
  holdDeploys,
  publish,
  PYTHON_API,
  pythonApi,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
let other: Person;
beforeAll(async () => {
  server = await startTestServer();
  [owner, other] = [await server.person('publisher'), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

async function shared(files: Record<string, string>, metadata = {}): Promise<string> {
  const { guid } = await publish(owner, files, { metadata });
  await grant(owner, guid, other, 'owner');
  return guid;
}
const deploy = (guid: string, body: object, by = owner) =>
  by.call('POST', `/v1/content/${guid}/deploy`, { body });
const shown = async (guid: string) => (await owner.call('GET', `//content/${guid}/`)).bytes.toString();
const liveOf = async (guid: string) => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
const stateOf = async (guid: string, id: string) =>
  (await owner.call('GET', `/v1/content/${guid}/bundles/${id}/release`)).body.state;
async function entries(guid: string, action: string): Promise<number> {
  const admin = await server.administrator();
  const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=300')).body;
  return results.filter(
    (entry: { action: string; event_description: string }) =>
      entry.action === action && entry.event_description.includes(guid),
  ).length;
}

test('two simultaneous releases both go live in turn, and the last one is shown', async () => {
  const guid = await shared({ 'index.html': 'old' });
  const ids = [
    await upload(owner, guid, { 'index.html': 'one' }),
    await upload(owner, guid, { 'index.html': 'two' }),
  ];
  const started = await Promise.all(
    ids.map((bundle_id, i) => deploy(guid, { bundle_id }, [owner, other][i])),
  );
  const ended = await Promise.all(started.map(({ body }) => finishedTask(owner, body.task_id)));
  expect(ended).toMatchObject([{ code: 0 }, { code: 0 }]);
  const live = await liveOf(guid);
  expect(await shown(guid)).toBe(live === ids[0] ? 'one' : 'two');
  expect(await Promise.all(ids.map((id) => stateOf(guid, id)))).toEqual(
    live === ids[0] ? ['live', 'past'] : ['past', 'live'],
  );
  expect(await entries(guid, 'deploy_application')).toBe(3);
});

test('a bundle that two people make live at once is deployed once, and the second learns by whom', async () => {
  const guid = await shared({ 'index.html': 'old' });
  const id = await upload(owner, guid, { 'index.html': 'new' });
  await finishedTask(owner, (await deploy(guid, { bundle_id: id, activate: false })).body.task_id);
  const before = await entries(guid, 'deploy_application');
  const release = await holdDeploys(server, owner, guid);
  const started = await Promise.all(
    [owner, other].map(async (person) => ({ person, ...(await deploy(guid, { bundle_id: id }, person)) })),
  );
  const [first, second] = started.toSorted((a, b) => a.status - b.status);
  expect(first?.status).toBe(200);
  expect(second).toMatchObject({
    status: 400,
    body: {
      code: 100,
      error: `${first?.person.username} is already making bundle ${id} live, in task ${first?.body.task_id}`,
      payload: { task_id: first?.body.task_id, by: first?.person.username },
    },
  });
  release();
  expect(await finishedTask(owner, first?.body.task_id)).toMatchObject({ code: 0 });
  expect(await shown(guid)).toBe('new');
  expect(await entries(guid, 'deploy_application')).toBe(before + 1);
  // What is live can be deployed again.
  expect((await deploy(guid, { bundle_id: id }, other)).status).toBe(200);
});

test('a deploy of a bundle whose canary is in preparation makes it live', async () => {
  const guid = await shared(pythonApi('old'), PYTHON_API);
  const bundle_id = await upload(owner, guid, pythonApi('new'), PYTHON_API);
  const release = await holdDeploys(server, owner, guid);
  const canary = await deploy(guid, { bundle_id, canary: { share: 50 } });
  const plain = await deploy(guid, { bundle_id });
  expect(plain).toMatchObject({ status: 200 });
  expect(plain.body.task_id).not.toBe(canary.body.task_id);
  release();
  await finishedTask(owner, canary.body.task_id);
  expect(await finishedTask(owner, plain.body.task_id)).toMatchObject({ code: 0 });
  expect(await liveOf(guid)).toBe(bundle_id);
});

test.each(['the bundle', 'the content'])(
  'activating a draft and deleting %s at once has the outcome of one order',
  async (what) => {
    const guid = await shared({ 'index.html': 'old' });
    const before = await liveOf(guid);
    const id = await upload(owner, guid, { 'index.html': 'new' });
    await finishedTask(owner, (await deploy(guid, { bundle_id: id, activate: false })).body.task_id);
    const path = what === 'the bundle' ? `/v1/content/${guid}/bundles/${id}` : `/v1/content/${guid}`;
    const [activated, removed] = await Promise.all([
      deploy(guid, { bundle_id: id }, other),
      owner.call('DELETE', path),
    ]);
    if (activated.status === 200) {
      // The task may have been deleted with the content.
      const { body } = await other.call('GET', `/v1/tasks/${activated.body.task_id}?wait=20`);
      if (body.finished === true && body.code === 0 && what === 'the bundle') {
        expect(removed).toMatchObject({ body: { code: expect.any(Number) } });
        expect([await liveOf(guid), await shown(guid)]).toEqual([id, 'new']);
        return;
      }
    }
    expect(removed.status).toBe(204);
    const still = await owner.call('GET', `/v1/content/${guid}`);
    if (what === 'the content') {
      expect(still.status).toBe(404);
      const { db } = server.running.services.storage;
      for (const table of ['draft', 'bundle'] as const)
        expect(
          await db.selectFrom(table).select('content_guid').where('content_guid', '=', guid).execute(),
        ).toEqual([]);
      return;
    }
    expect([still.body.bundle_id, await shown(guid)]).toEqual([before, 'old']);
  },
);

test('promoting a canary during a rollback leaves one live bundle and ends it once', async () => {
  const guid = await shared(pythonApi('first'), PYTHON_API);
  const first = await liveOf(guid);
  const second = await upload(owner, guid, pythonApi('second'), PYTHON_API);
  await finishedTask(owner, (await deploy(guid, { bundle_id: second })).body.task_id);
  const third = await upload(owner, guid, pythonApi('third'), PYTHON_API);
  const begun = await deploy(guid, { bundle_id: third, canary: { share: 50 } });
  await finishedTask(owner, begun.body.task_id);
  const all = await Promise.all([
    owner.call('POST', `/v1/content/${guid}/canary/finish`),
    deploy(guid, { bundle_id: first }, other),
  ]);
  for (const { status, body } of all) if (status === 200) await finishedTask(owner, body.task_id);
  const live = await liveOf(guid);
  const { state } = (await owner.call('GET', `/v1/content/${guid}/canary`)).body;
  // The rollback came last, or ended the canary before it went live.
  expect([`${first} live`, `${first} replaced`, `${third} live`]).toContain(`${live} ${state}`);
  expect(await shown(guid)).toBe(live === first ? 'first' : 'third');
  expect(await entries(guid, 'end_canary')).toBe(1);
});
