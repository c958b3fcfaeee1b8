// Covers the complete release of a bundle as an API resource: from its upload until it is live or rolled back.
import {
  finishedTask,
  grant,
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

const post = (guid: string, body: object) => owner.call('POST', `/v1/content/${guid}/deploy`, { body });
async function deploy(guid: string, body: object): Promise<void> {
  await finishedTask(owner, (await post(guid, body)).body.task_id);
}
const releaseOf = async (guid: string, id: string, by = owner) =>
  (await by.call('GET', `/v1/content/${guid}/bundles/${id}/release`)).body;
const stepsOf = ({ steps }: { steps: { what: string; username: string | null }[] }) =>
  steps.map(({ what, username }) => `${what} ${username ?? '-'}`);

test('a release of a page records each step with its author, and content that links to it', async () => {
  const fields = { access_type: 'all', title: 'Prices' };
  const { guid } = await publish(owner, { 'index.html': '<p>1' }, { fields });
  const before = (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
  const hidden = { title: 'Overview', access_type: 'acl' };
  await publish(owner, { 'index.html': `<a href="/content/${guid}/">` }, { fields: hidden });
  await server.anonymous('GET', `//content/${guid}/`);
  await owner.call('GET', `//content/${guid}/`);
  // Visits and links are recorded with a short delay.
  await expect.poll(() => releaseOf(guid, before)).toMatchObject({ use: { total: 2 }, links: { total: 1 } });
  await grant(owner, guid, other, 'owner');
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const id = await upload(owner, guid, { 'index.html': '<p>2' });
  expect(await releaseOf(guid, id)).toMatchObject({ state: 'uploaded', draft: null, approval: null });
  await deploy(guid, { bundle_id: id, activate: false });
  expect(await releaseOf(guid, id)).toMatchObject({ state: 'draft', draft: { bundle_id: id } });
  await post(guid, { bundle_id: id });
  expect(await releaseOf(guid, id)).toMatchObject({
    state: 'asked',
    approval: { needed: 1, approved: false },
  });
  await other.call('POST', `/v1/content/${guid}/releases/${id}/approve`);
  expect(await releaseOf(guid, id)).toMatchObject({ state: 'approved', live_bundle_id: before });
  await deploy(guid, { bundle_id: id });
  const live = await releaseOf(guid, id, other);
  expect(live).toMatchObject({
    content_guid: guid,
    bundle_id: id,
    state: 'live',
    live_bundle_id: id,
    commit: null,
    draft: null,
    approval: null,
    canary: null,
    use: { days: 30, people: 1, total: 2 },
  });
  const own = owner.username;
  expect(stepsOf(live)).toEqual([
    `uploaded ${own}`,
    `started ${own}`,
    `ready ${own}`,
    `asked ${own}`,
    `approved ${other.username}`,
    `started ${own}`,
    `live ${own}`,
  ]);
  // Links that the caller may not see are only counted.
  expect(live.links).toEqual({ results: [], total: 1 });
  expect((await releaseOf(guid, id)).links.results).toMatchObject([{ content_title: 'Overview' }]);
  expect(await releaseOf(guid, before)).toMatchObject({ state: 'past', live_bundle_id: id });
});

test('a release of an application gives the reason of a rollback or a failed deploy', async () => {
  const { guid } = await publish(owner, pythonApi('old'), { metadata: PYTHON_API });
  const id = await upload(owner, guid, pythonApi('new'), PYTHON_API);
  await deploy(guid, { bundle_id: id, canary: { share: 20 } });
  expect(await releaseOf(guid, id)).toMatchObject({
    state: 'canary',
    canary: { state: 'running', share: 20, canary: { requests: 0 } },
  });
  await owner.call('POST', `/v1/content/${guid}/canary/back`, { body: { reason: 'wrong colours' } });
  const back = await releaseOf(guid, id);
  expect(back).toMatchObject({ state: 'back', canary: { state: 'back' } });
  expect(back.steps.slice(-2)).toMatchObject([
    { what: 'canary', reason: '20 % of new sessions' },
    { what: 'back', username: owner.username, reason: expect.stringContaining('wrong colours') },
  ]);
  const broken = await upload(owner, guid, { 'app.py': 'raise SystemExit(3)' }, PYTHON_API);
  await deploy(guid, { bundle_id: broken });
  const failed = await releaseOf(guid, broken);
  expect(failed).toMatchObject({ state: 'failed', canary: null });
  expect(failed.steps.at(-1)).toMatchObject({ what: 'failed', task_id: expect.any(String) });
  expect(failed.steps.at(-1).reason).not.toBe('');
});

test('a rolled-back canary is shown as rolled back, although its approvals still count', async () => {
  const { guid } = await publish(owner, pythonApi('old'), { metadata: PYTHON_API });
  await grant(owner, guid, other, 'owner');
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const id = await upload(owner, guid, pythonApi('new'), PYTHON_API);
  await post(guid, { bundle_id: id });
  await other.call('POST', `/v1/content/${guid}/releases/${id}/approve`);
  await deploy(guid, { bundle_id: id, canary: { share: 20 } });
  expect(await releaseOf(guid, id)).toMatchObject({ state: 'canary' });
  await owner.call('POST', `/v1/content/${guid}/canary/back`, { body: {} });
  expect(await releaseOf(guid, id)).toMatchObject({ state: 'back', approval: { approved: true } });
});

test('a release records who overrode the approvals, and why', async () => {
  const { guid } = await publish(owner, { 'index.html': '1' });
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const id = await upload(owner, guid, { 'index.html': '2' });
  await post(guid, { bundle_id: id });
  await owner.call('POST', `/v1/content/${guid}/releases/${id}/override`, { body: { reason: 'Typo' } });
  const { state, steps } = await releaseOf(guid, id);
  expect(state).toBe('approved');
  expect(steps.at(-1)).toMatchObject({ what: 'overridden', username: owner.username, reason: 'Typo' });
});

test('a release is visible to collaborators and administrators only, under its own content', async () => {
  const { guid } = await publish(owner, { 'index.html': '1' }, { fields: { access_type: 'all' } });
  const { guid: second } = await publish(owner, { 'index.html': '2' });
  const { bundle_id: id } = (await owner.call('GET', `/v1/content/${guid}`)).body;
  const path = `/v1/content/${guid}/bundles/${id}/release`;
  expect(await other.call('GET', path)).toMatchObject({ status: 403, body: { code: 19 } });
  expect((await (await server.administrator()).call('GET', path)).status).toBe(200);
  expect(await owner.call('GET', `/v1/content/${second}/bundles/${id}/release`)).toMatchObject({
    status: 404,
    body: { code: 4 },
  });
});
