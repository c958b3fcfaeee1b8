// Covers approval by named people and groups: checked at each approval and before going live, and never open by accident.
import { finishedTask, makeArchive, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { announceStuckReleases } from '../../packages/server/src/deploys/approvals/stuck-releases.ts';

let server: TestServer;
let owner: Person;
let author: Person;
let ada: Person;
let ben: Person;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  admin = await server.administrator();
  [owner, author, ada, ben] = [
    await server.person('publisher'),
    await server.person('publisher'),
    await server.person('publisher'),
    await server.person('publisher'),
  ];
});
afterAll(() => server[Symbol.asyncDispose]());

let made = 0;
const user = ({ guid }: Person) => ({ principal_guid: guid, principal_type: 'user' });
const group = (guid: string) => ({ principal_guid: guid, principal_type: 'group' });
async function makeGroup(...members: readonly Person[]): Promise<{ guid: string; name: string }> {
  const body = { name: `reviewers${(made += 1)}` };
  const { guid } = (await admin.call('POST', '/v1/groups', { body })).body;
  for (const { guid: user_guid } of members)
    await admin.call('POST', `/v1/groups/${guid}/members`, { body: { user_guid } });
  return { guid, ...body };
}
const setRule = (guid: string, body: object, person = owner) =>
  person.call('PUT', `/v1/content/${guid}/approval-rule`, { body });
const rule = async (guid: string) => (await author.call('GET', `/v1/content/${guid}/approval-rule`)).body;
const releases = async (guid: string) => (await author.call('GET', `/v1/content/${guid}/releases`)).body;
const deploy = (guid: string, bundle_id: string) =>
  author.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id } });
const approve = (guid: string, id: string, person: Person) =>
  person.call('POST', `/v1/content/${guid}/releases/${id}/approve`);
const names = (people: { username: string }[]) => people.map(({ username }) => username).toSorted();
const permissionOf = async (guid: string, principal: string): Promise<string> => {
  const all = (await owner.call('GET', `/v1/content/${guid}/permissions`)).body;
  return all.find((one: { principal_guid: string }) => one.principal_guid === principal).id;
};

/**
 * Creates content with Ada, Ben and the author as collaborators, and a bundle of the author that waits for approval.
 */
async function waiting(
  approvals: number,
  approvers: readonly object[],
): Promise<{ guid: string; id: string }> {
  const body = { name: `named-${(made += 1)}`, access_type: 'all' };
  const { guid } = (await owner.call('POST', '/v1/content', { body })).body;
  for (const person of [author, ada, ben])
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body: { ...user(person), role: 'owner' } });
  expect((await setRule(guid, { approvals, approvers })).status).toBe(200);
  const raw = makeArchive({ 'index.html': 'one' });
  const { id } = (await author.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  expect(await deploy(guid, id)).toMatchObject({ status: 403, body: { code: 22 } });
  return { guid, id };
}
async function goesLive(guid: string, id: string): Promise<void> {
  const { status, body } = await deploy(guid, id);
  expect([status, body.error]).toEqual([200, undefined]);
  expect(await finishedTask(author, body.task_id)).toMatchObject({ code: 0 });
}

test('only named approvers approve, and everyone sees who is asked', async () => {
  const { guid, id } = await waiting(1, [user(ada)]);
  expect(await rule(guid)).toMatchObject({
    approvals: 1,
    available: 1,
    approvers: [{ ...user(ada), name: ada.username, state: 'ready' }],
  });
  expect(await releases(guid)).toMatchObject([
    { asked: [{ user_guid: ada.guid, username: ada.username }], stuck: false },
  ]);
  expect((await deploy(guid, id)).body.error).toContain(`can be approved by ${ada.username}`);
  for (const person of [ben, owner]) {
    const refused = await approve(guid, id, person);
    expect(refused).toMatchObject({ status: 403, body: { code: 22 } });
    expect(refused.body.error).toContain(`names who approves this content: ${ada.username}`);
  }
  expect((await approve(guid, id, ada)).body).toMatchObject({ approved: true, asked: [], stuck: false });
  await goesLive(guid, id);
  const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=100')).body;
  const texts = results.map(({ event_description }: { event_description: string }) => event_description);
  expect(texts).toContainEqual(
    expect.stringMatching(new RegExp(`${guid}.* need 1 approvals by ${ada.username}$`)),
  );
  expect(texts).toContainEqual(expect.stringContaining(`Approved bundle ${id} of`));
});

test('members of a named group approve only while they are members and collaborators', async () => {
  const reviewers = await makeGroup(ada, ben);
  const { guid, id } = await waiting(2, [group(reviewers.guid)]);
  expect(names((await releases(guid))[0].asked)).toEqual(names([ada, ben]));
  await approve(guid, id, ada);
  expect((await approve(guid, id, ben)).body).toMatchObject({ approved: true });
  // The membership at the time of the deploy counts, not at the time of the approval.
  await admin.call('DELETE', `/v1/groups/${reviewers.guid}/members/${ben.guid}`);
  expect(await deploy(guid, id)).toMatchObject({
    status: 403,
    body: { payload: { approvals: 1, stuck: true } },
  });
  const back = { body: { user_guid: ben.guid } };
  await admin.call('POST', `/v1/groups/${reviewers.guid}/members`, back);
  // So do the rights.
  await owner.call('DELETE', `/v1/content/${guid}/permissions/${await permissionOf(guid, ada.guid)}`);
  expect(await approve(guid, id, ada)).toMatchObject({ status: 403 });
  expect(await deploy(guid, id)).toMatchObject({ status: 403, body: { payload: { approvals: 1 } } });
  await owner.call('POST', `/v1/content/${guid}/permissions`, { body: { ...user(ada), role: 'owner' } });
  await goesLive(guid, id);
});

test('collaborators through the named group may approve, viewers in it may not', async () => {
  const eve = await server.person('publisher');
  const viewer = await server.person('viewer');
  const reviewers = await makeGroup(eve, viewer);
  const { guid, id } = await waiting(1, [group(reviewers.guid)]);
  expect(await rule(guid)).toMatchObject({ available: 0, approvers: [{ state: 'not_allowed' }] });
  await owner.call('POST', `/v1/content/${guid}/permissions`, {
    body: { ...group(reviewers.guid), role: 'owner' },
  });
  expect((await releases(guid))[0].asked).toEqual([{ user_guid: eve.guid, username: eve.username }]);
  expect((await approve(guid, id, viewer)).status).toBe(403);
  expect((await approve(guid, id, eve)).body).toMatchObject({ approved: true });
});

test('the author never approves, neither by name nor through a group', async () => {
  const reviewers = await makeGroup(author);
  const { guid, id } = await waiting(1, [user(author), group(reviewers.guid)]);
  expect((await approve(guid, id, author)).body.error).toContain('somebody else');
  expect(await releases(guid)).toMatchObject([{ asked: [], stuck: true, approved: false }]);
  expect((await deploy(guid, id)).body.error).toContain(
    'The owner or an administrator changes the approval rule',
  );
});

test('a locked approver leaves the rule closed and listed as stuck', async () => {
  const leaver = await server.person('publisher');
  const { guid, id } = await waiting(1, [user(leaver)]);
  await owner.call('POST', `/v1/content/${guid}/permissions`, { body: { ...user(leaver), role: 'owner' } });
  expect((await approve(guid, id, leaver)).body).toMatchObject({ approved: true });
  await admin.call('POST', `/v1/users/${leaver.guid}/lock`, { body: { locked: true } });
  expect(await rule(guid)).toMatchObject({ available: 0, approvers: [{ state: 'locked' }] });
  expect(await deploy(guid, id)).toMatchObject({
    status: 403,
    body: { payload: { approvals: 0, stuck: true } },
  });
  expect((await approve(guid, id, ben)).status).toBe(403);
  // The owner changes the rule.
  expect((await setRule(guid, { approvals: 1, approvers: [user(ben)] })).body).toMatchObject({
    available: 1,
  });
  expect((await approve(guid, id, ben)).body).toMatchObject({ approved: true });
  await goesLive(guid, id);
});

test('an emptied or deleted group leaves the rule closed and keeps its name', async () => {
  const reviewers = await makeGroup(ada);
  const { guid, id } = await waiting(1, [group(reviewers.guid)]);
  await approve(guid, id, ada);
  await admin.call('DELETE', `/v1/groups/${reviewers.guid}/members/${ada.guid}`);
  expect(await rule(guid)).toMatchObject({ available: 0, approvers: [{ state: 'empty' }] });
  expect((await deploy(guid, id)).status).toBe(403);
  await admin.call('DELETE', `/v1/groups/${reviewers.guid}`);
  // A new group with the same name is not the named one.
  const namesake = (await admin.call('POST', '/v1/groups', { body: { name: reviewers.name } })).body;
  await admin.call('POST', `/v1/groups/${namesake.guid}/members`, { body: { user_guid: ada.guid } });
  expect(await rule(guid)).toMatchObject({
    available: 0,
    approvers: [{ ...group(reviewers.guid), name: reviewers.name, state: 'deleted' }],
  });
  expect((await deploy(guid, id)).status).toBe(403);
  expect((await approve(guid, id, ben)).body.error).toContain(`group ${reviewers.name}`);
  // Changing only the number does not open the rule, and adding a name keeps the group.
  expect((await setRule(guid, { approvals: 1 })).body.approvers).toHaveLength(1);
  expect(
    (await setRule(guid, { approvals: 1, approvers: [group(reviewers.guid), user(ben)] })).body,
  ).toMatchObject({
    available: 1,
    approvers: [{ state: 'ready' }, { state: 'deleted' }],
  });
  expect((await approve(guid, id, ben)).body).toMatchObject({ approved: true });
});

test('a rule accepts only existing people and groups; without any, every collaborator approves', async () => {
  const { guid, id } = await waiting(1, [user(ada)]);
  const nobody = '00000000-0000-4000-8000-000000000000';
  for (const principal of [
    group(nobody),
    { principal_guid: nobody, principal_type: 'user' },
    group(ada.guid),
  ])
    expect(await setRule(guid, { approvals: 1, approvers: [principal] })).toMatchObject({
      status: 404,
      body: { code: 9 },
    });
  const wrong = [{ principal_guid: 'x', principal_type: 'robot' }];
  for (const approvers of [wrong, 'ada', Array.from({ length: 51 }, () => user(ada))])
    expect((await setRule(guid, { approvals: 1, approvers })).status).toBe(400);
  expect((await setRule(guid, { approvals: 1, approvers: [] }, author)).status).toBe(403);
  expect((await rule(guid)).approvers).toHaveLength(1);
  expect(
    (await setRule(guid, { approvals: 1, approvers: [user(ada), user(ada)] })).body.approvers,
  ).toHaveLength(1);
  expect((await setRule(guid, { approvals: 1, approvers: [] })).body).toMatchObject({ approvers: [] });
  expect((await approve(guid, id, owner)).body).toMatchObject({ approved: true });
  // A rule set after a deletion has none of the earlier names.
  await setRule(guid, { approvals: 1, approvers: [user(ada)] });
  await owner.call('DELETE', `/v1/content/${guid}/approval-rule`);
  expect((await setRule(guid, { approvals: 1 })).body).toMatchObject({ approvers: [] });
});

test('owners are notified once each time a release becomes impossible to approve', async () => {
  const mails: { to: string; text: string }[] = [];
  const mailer = { send: async (mail: { to: string; text: string }) => void mails.push(mail) };
  const parts = { ...server.running.services, mailer };
  const tell = async (id: string) => {
    await announceStuckReleases(parts);
    return mails.splice(0).filter(({ text }) => text.includes(`Bundle ${id} of`));
  };
  const reviewers = await makeGroup(ada);
  const { guid, id } = await waiting(1, [group(reviewers.guid)]);
  expect(await tell(id)).toEqual([]);
  await admin.call('DELETE', `/v1/groups/${reviewers.guid}/members/${ada.guid}`);
  const { email } = (await admin.call('GET', `/v1/users/${owner.guid}`)).body;
  expect(await tell(id)).toEqual([
    expect.objectContaining({ to: email, text: expect.stringContaining(`group ${reviewers.name}`) }),
  ]);
  expect(await tell(id)).toEqual([]);
  const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=50')).body;
  const entries = results.filter(({ action }: { action: string }) => action === 'release_stuck');
  expect(entries.map((entry: { event_description: string }) => entry.event_description)).toContainEqual(
    expect.stringContaining(guid),
  );
  await setRule(guid, { approvals: 1, approvers: [user(ben)] });
  expect(await tell(id)).toEqual([]);
  await admin.call('POST', `/v1/users/${ben.guid}/lock`, { body: { locked: true } });
  expect(await tell(id)).toHaveLength(1);
  await admin.call('POST', `/v1/users/${ben.guid}/lock`, { body: { locked: false } });
});
