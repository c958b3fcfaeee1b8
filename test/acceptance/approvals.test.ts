// Covers approvals: others approve a release; current rights count; a later release voids earlier approvals.
import {
  caller,
  finishedTask,
  grant,
  makeArchive,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createContentKeys } from '../../packages/server/src/content/content-keys.ts';
import { findContent } from '../../packages/server/src/content/store.ts';

let server: TestServer;
let owner: Person;
let author: Person;
let second: Person;
let third: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  [owner, author, second, third] = [
    await server.person('publisher'),
    await server.person('publisher'),
    await server.person('publisher'),
    await server.person('publisher'),
  ];
});
afterAll(() => server[Symbol.asyncDispose]());

let contents = 0;
/** Creates content with three collaborators and a rule that requires this many approvals. */
async function content(approvals: number): Promise<string> {
  const body = { name: `agreed-${(contents += 1)}`, access_type: 'all' };
  const { guid } = (await owner.call('POST', '/v1/content', { body })).body;
  for (const person of [author, second, third]) await grant(owner, guid, person, 'owner');
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals } });
  return guid;
}
async function upload(guid: string, text: string, person = author): Promise<string> {
  const raw = makeArchive({ 'index.html': text });
  return (await person.call('POST', `/v1/content/${guid}/bundles`, { raw })).body.id;
}
const deploy = (guid: string, bundle_id: string, person = author, more = {}) =>
  person.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id, ...more } });
const approve = (guid: string, id: string, person: Person) =>
  person.call('POST', `/v1/content/${guid}/releases/${id}/approve`);
const releases = async (guid: string, person = owner) =>
  (await person.call('GET', `/v1/content/${guid}/releases`)).body;
const liveOf = async (guid: string) => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
const refusal = (release: string, approvals: number, needed: number) => ({
  status: 403,
  body: { code: 22, payload: { release, approvals, needed } },
});
async function goLive(guid: string, id: string, person = author): Promise<void> {
  const { status, body } = await deploy(guid, id, person);
  expect([status, body.error]).toEqual([200, undefined]);
  expect(await finishedTask(person, body.task_id)).toMatchObject({ code: 0 });
  expect(await liveOf(guid)).toBe(id);
}
const actionsOf = async (guid: string) => {
  const admin = await server.administrator();
  const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=300')).body;
  return results
    .filter(({ event_description: text }: { event_description: string }) => text.includes(guid))
    .map(({ action }: { action: string }) => action)
    .toReversed();
};

test('a deploy without enough approvals is rejected until enough people approve', async () => {
  const guid = await content(2);
  const id = await upload(guid, 'one');
  expect(await deploy(guid, id)).toMatchObject(refusal(id, 0, 2));
  for (const [path, body] of [
    [`/v1/content/${guid}/build`, { bundle_id: id }],
    [`/v1/experimental/content/${guid}/deploy`, { bundle_id: id }],
    [`/applications/${guid}/deploy`, { bundle: Number(id) }],
  ] as const)
    expect(await author.call('POST', path, { body }), path).toMatchObject(refusal(id, 0, 2));
  expect(await releases(guid)).toMatchObject([
    {
      bundle_id: id,
      author_guid: author.guid,
      asked_by: author.guid,
      needed: 2,
      approvals: [],
      approved: false,
    },
  ]);
  // A draft does not go live, so it needs no approval.
  const draft = await deploy(guid, id, author, { activate: false });
  expect(await finishedTask(author, draft.body.task_id)).toMatchObject({ code: 0 });

  const own = await approve(guid, id, author);
  expect(own).toMatchObject({ status: 403, body: { code: 22 } });
  expect(own.body.error).toContain('somebody else');
  expect((await approve(guid, id, second)).body).toMatchObject({ approved: false });
  expect((await approve(guid, id, second)).body.approvals).toHaveLength(1);
  const refused = await deploy(guid, id);
  expect(refused).toMatchObject(refusal(id, 1, 2));
  expect(refused.body.error).toContain('needs 1 more approval');
  expect((await approve(guid, id, owner)).body).toMatchObject({ approved: true });
  await goLive(guid, id);
  expect(await releases(guid)).toEqual([]);
  expect((await approve(guid, id, third)).status).toBe(404);
  const actions = await actionsOf(guid);
  expect(actions.filter((action: string) => /release|approval_rule/.test(action))).toEqual([
    'edit_approval_rule',
    'ask_release',
    'approve_release',
    'approve_release',
  ]);
  // The live bundle, and any bundle approved before, may be deployed again.
  await goLive(guid, id);
  const next = await upload(guid, 'two', second);
  await deploy(guid, next, second);
  for (const person of [author, third]) await approve(guid, next, person);
  await goLive(guid, next, second);
  await goLive(guid, id, third);
});

test('a bundle that content uploaded needs one approval more: whoever may deploy the content has its key', async () => {
  const guid = await content(1);
  const { storage, secrets, clock } = server.running.services;
  const key = await createContentKeys(storage, secrets, clock).keyFor((await findContent(storage.db, guid))!);
  const itself = { ...owner, call: caller(() => server.url, key) };
  const id = await upload(guid, 'by somebody', itself);
  for (const person of [author, itself]) {
    const refused = await deploy(guid, id, person);
    expect(refused).toMatchObject(refusal(id, 0, 2));
    expect(refused.body.error).toContain('as content uploaded it');
  }
  expect((await approve(guid, id, author)).body).toMatchObject({ needed: 2, approved: false });
  expect(await deploy(guid, id)).toMatchObject(refusal(id, 1, 2));
  expect((await approve(guid, id, second)).body).toMatchObject({ approved: true });
  await goLive(guid, id);
  // Without a rule, it needs none.
  await owner.call('DELETE', `/v1/content/${guid}/approval-rule`);
  await goLive(guid, await upload(guid, 'again', itself));
});

test('viewers and strangers cannot approve or see a release', async () => {
  const guid = await content(1);
  const viewer = await server.person('publisher');
  await grant(owner, guid, viewer, 'viewer');
  const id = await upload(guid, 'one');
  await deploy(guid, id);
  const admin = await server.administrator();
  for (const person of [viewer, admin, await server.person('viewer')])
    expect(await approve(guid, id, person)).toMatchObject({ status: 403, body: { code: 22 } });
  expect((await viewer.call('GET', `/v1/content/${guid}/releases`)).status).toBe(403);
  const rule = { body: { approvals: 1 } };
  expect((await author.call('PUT', `/v1/content/${guid}/approval-rule`, rule)).status).toBe(403);
  expect((await author.call('DELETE', `/v1/content/${guid}/approval-rule`)).status).toBe(403);
  expect(await author.call('GET', `/v1/content/${guid}/approval-rule`)).toMatchObject({
    status: 200,
    body: { approvals: 1, username: owner.username },
  });
});

test('the approval of a person who loses the right to deploy no longer counts', async () => {
  const guid = await content(1);
  const id = await upload(guid, 'one');
  await deploy(guid, id);
  expect((await approve(guid, id, third)).body).toMatchObject({ approved: true });
  const permissions = (await owner.call('GET', `/v1/content/${guid}/permissions`)).body;
  const own = permissions.find((one: { principal_guid: string }) => one.principal_guid === third.guid);
  await owner.call('DELETE', `/v1/content/${guid}/permissions/${own.id}`);
  expect(await deploy(guid, id)).toMatchObject(refusal(id, 0, 1));
  await grant(owner, guid, third, 'owner');
  await goLive(guid, id);
});

test('the approval of an account locked during the deploy no longer counts', async () => {
  const guid = await content(1);
  const id = await upload(guid, 'one');
  await deploy(guid, id);
  const leaver = await server.person('publisher');
  await grant(owner, guid, leaver, 'owner');
  expect((await approve(guid, id, leaver)).body).toMatchObject({ approved: true });
  const { services } = server.running;
  const admin = await server.administrator();
  // As if the deploy had been requested just before.
  const bundle_id = Number(id);
  const subject = { kind: 'deploy', content_guid: guid, bundle_id, user_guid: author.guid } as const;
  const task = await services.storage.write((tx) => services.tasks.create(tx, subject));
  await admin.call('POST', `/v1/users/${leaver.guid}/lock`, { body: { locked: true } });
  const bundle = await services.storage.db
    .selectFrom('bundle')
    .selectAll()
    .where('id', '=', bundle_id)
    .executeTakeFirstOrThrow();
  await services.deploys.run(task, bundle, 'deploy');
  expect(await finishedTask(author, task)).toMatchObject({ code: 22 });
  expect(await liveOf(guid)).toBe(null);
});

test('releasing another bundle voids earlier approvals, even when both happen at once', async () => {
  const guid = await content(1);
  const [one, two] = [await upload(guid, 'one'), await upload(guid, 'two')];
  await deploy(guid, one);
  const [approved, pushed] = await Promise.all([approve(guid, one, second), deploy(guid, two)]);
  expect(pushed).toMatchObject(refusal(two, 0, 1));
  // The approval came in time (200) or too late (404), and is void in both cases.
  expect([200, 404]).toContain(approved.status);
  expect(await releases(guid)).toMatchObject([{ bundle_id: two, approvals: [] }]);
  expect((await approve(guid, one, third)).status).toBe(404);
  expect(await deploy(guid, one)).toMatchObject(refusal(one, 0, 1));
  expect(await releases(guid)).toMatchObject([{ bundle_id: one }]);
  expect(await actionsOf(guid)).toContain('void_release');
});

test('the owner or an administrator overrides the rule with a reason that is recorded', async () => {
  const guid = await content(2);
  const id = await upload(guid, 'one');
  const path = `/v1/content/${guid}/releases/${id}/override`;
  const body = { reason: 'The figures of today are wrong' };
  expect((await owner.call('POST', path, { body })).status).toBe(404);
  await deploy(guid, id);
  expect((await author.call('POST', path, { body })).status).toBe(403);
  expect((await owner.call('POST', path, { body: { reason: '' } })).status).toBe(400);
  const admin = await server.administrator();
  const done = await admin.call('POST', path, { body });
  expect(done.body).toMatchObject({ approved: true, override_reason: body.reason });
  await goLive(guid, id);
  expect(await actionsOf(guid)).toContain('override_release');
  const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=50')).body;
  const entry = results.find(({ action }: { action: string }) => action === 'override_release');
  expect(entry.event_description).toContain(`0 of 2 approvals: ${body.reason}`);
});

test('after the approval rule is deleted, no bundle waits for approval', async () => {
  const guid = await content(1);
  const [one, two] = [await upload(guid, 'one'), await upload(guid, 'two')];
  await deploy(guid, one);
  await owner.call('DELETE', `/v1/content/${guid}/approval-rule`);
  expect(await releases(guid)).toEqual([]);
  expect(await actionsOf(guid)).toContain('void_release');
  await goLive(guid, two);
  // Whoever asks again needs new approvals.
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  expect(await deploy(guid, one)).toMatchObject(refusal(one, 0, 1));
  expect(await releases(guid)).toMatchObject([{ bundle_id: one }]);
});

test('deleting the approval rule lets bundles go live without approval', async () => {
  const guid = await content(1);
  const id = await upload(guid, 'one');
  await deploy(guid, id);
  expect((await owner.call('DELETE', `/v1/content/${guid}/approval-rule`)).status).toBe(204);
  expect((await owner.call('DELETE', `/v1/content/${guid}/approval-rule`)).status).toBe(204);
  expect((await owner.call('GET', `/v1/content/${guid}/approval-rule`)).status).toBe(404);
  await goLive(guid, id);
  for (const approvals of [0, 11, 1.5, 'two'])
    expect(
      await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals } }),
    ).toMatchObject({
      status: 400,
      body: { code: 25 },
    });
});
