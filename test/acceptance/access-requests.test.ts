// Covers access requests for content, and decisions by those who share it.
import { openMailbox, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const DAY = 24 * 3_600_000_000;
let server: TestServer;
let owner: Person;
let guest: Person;
let guid: string;
/** Microseconds that the server's clock is ahead. */
let ahead = 0;
const clock = { now: () => Date.now() * 1000 + ahead };

beforeAll(async () => {
  server = await startTestServer({ clock });
  owner = await server.person('publisher');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});
beforeEach(async () => {
  guest = await server.person('viewer');
  ({ guid } = await publish(owner, { 'index.html': '<p>' }, { fields: { access_type: 'acl' } }));
});

const path = (content = guid) => `/v1/content/${content}/access-requests`;
const ask = (body: object = {}, content = guid, person = guest) =>
  person.call('POST', path(content), { body });
const decide = (id: string, body: object, person = owner) => person.call('PUT', `${path()}/${id}`, { body });

describe('Access requests', () => {
  test('granting a request adds the permission, removes the request and audits both', async () => {
    const asked = await ask({ message: 'For the report' });
    expect(asked).toMatchObject({
      status: 200,
      body: { content_guid: guid, user_guid: guest.guid, message: 'For the report' },
    });
    expect((await owner.call('GET', path())).body).toEqual([asked.body]);
    expect(await decide(asked.body.id, { decision: 'grant' })).toMatchObject({ status: 204 });
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(200);
    expect((await owner.call('GET', `/v1/content/${guid}/permissions`)).body).toMatchObject([
      { principal_guid: guest.guid, principal_type: 'user', role: 'viewer' },
    ]);
    expect((await owner.call('GET', path())).body).toEqual([]);
    const log = await (await server.administrator()).call('GET', '/v1/audit_logs?limit=5&ascOrder=false');
    const actions = log.body.results.map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(expect.arrayContaining(['ask_access', 'grant_access', 'assign_user_app_role']));
    expect(await ask()).toMatchObject({ status: 409, body: { code: 16 } });
  });

  test('a declined request blocks another for 24 hours; only publishers become collaborators', async () => {
    const { id } = (await ask()).body;
    expect(await decide(id, { decision: 'grant', role: 'owner' })).toMatchObject({ body: { code: 33 } });
    expect((await owner.call('GET', path())).body).toHaveLength(1);
    expect(await decide(id, { decision: 'decline' })).toMatchObject({ status: 204 });
    expect(await decide(id, { decision: 'decline' })).toMatchObject({ status: 404, body: { code: 18 } });
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(403);
    expect((await owner.call('GET', path())).body).toEqual([]);
    // The previous request is less than 24 hours old.
    expect(await ask()).toMatchObject({ status: 400, body: { code: 94 } });
    ahead = DAY;
    try {
      expect((await ask()).status).toBe(200);
      expect((await owner.call('GET', path())).body).toHaveLength(1);
    } finally {
      ahead = 0;
    }
  });

  test('a request of the person who owns the content by now can be granted, which changes nothing', async () => {
    const next = await server.person('publisher');
    const { id } = (await ask({}, guid, next)).body;
    const body = { owner_guid: next.guid, keep: 'owner' };
    expect((await owner.call('PUT', `/v1/content/${guid}/owner`, { body })).status).toBe(204);
    expect(await decide(id, { decision: 'grant' })).toMatchObject({ status: 204 });
    expect((await owner.call('GET', path())).body).toEqual([]);
    expect((await owner.call('GET', `/v1/content/${guid}/permissions`)).body).toMatchObject([
      { principal_guid: owner.guid, role: 'owner' },
    ]);
  });

  test('the list for all content shows requests only to those who may share, and administrators', async () => {
    const [{ id }, collaborator, stranger] = [
      (await ask()).body,
      await server.person('publisher'),
      await server.person('publisher'),
    ];
    const group = (await owner.call('POST', '/v1/groups', { body: { name: `group${id}` } })).body.guid;
    await owner.call('POST', `/v1/groups/${group}/members`, { body: { user_guid: collaborator.guid } });
    const permission = { principal_guid: group, principal_type: 'group', role: 'owner' };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body: permission });
    const listed = async (person: Person) =>
      (await person.call('GET', '/v1/access-requests')).body.filter((one: { id: string }) => one.id === id);
    const mine = await listed(owner);
    expect(mine).toMatchObject([{ content_guid: guid, username: guest.username, message: null }]);
    expect(mine[0]).toHaveProperty('content_name');
    expect(await listed(collaborator)).toEqual(mine);
    expect(await listed(await server.administrator())).toEqual(mine);
    expect(await listed(stranger)).toEqual([]);
    expect(await listed(guest)).toEqual([]);
  });

  test('allows one open request per person, who can neither list nor decide it', async () => {
    const both = await Promise.all([ask(), ask()]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const [{ id }] = (await owner.call('GET', path())).body;
    expect(await guest.call('GET', path())).toMatchObject({ status: 403, body: { code: 19 } });
    expect(await decide(id, { decision: 'grant' }, guest)).toMatchObject({ status: 403, body: { code: 19 } });
    expect(await ask({}, guid, owner)).toMatchObject({ status: 409, body: { code: 16 } });
    expect(await ask({}, '11111111-2222-3333-4444-555555555555')).toMatchObject({ body: { code: 4 } });
  });

  test.each([['a\nb'], ['x'.repeat(501)], ['\u001b[2J']])('rejects the message %j', async (message) => {
    expect(await ask({ message })).toMatchObject({ status: 400, body: { code: 25 } });
  });

  test('a request expires after 30 days; a person has at most ten open', async () => {
    for (let i = 0; i < 10; i += 1) {
      const { body } = await owner.call('POST', '/v1/content', { body: { name: `${guest.username}-${i}` } });
      expect((await ask({}, body.guid)).status).toBe(200);
    }
    expect(await ask()).toMatchObject({ status: 400, body: { code: 25 } });
    ahead = 31 * DAY;
    try {
      const again = await ask();
      expect(again.status).toBe(200);
      ahead += 31 * DAY;
      expect((await owner.call('GET', path())).body).toEqual([]);
      expect(await decide(again.body.id, { decision: 'grant' })).toMatchObject({ body: { code: 18 } });
    } finally {
      ahead = 0;
    }
  });

  test('granting closes the request of a person who already got access', async () => {
    const { body } = await ask();
    const principal = { principal_guid: guest.guid, principal_type: 'user', role: 'viewer' };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body: principal });
    expect((await decide(body.id, { decision: 'grant' })).status).toBeLessThan(300);
    expect((await owner.call('GET', path())).body).toEqual([]);
  });

  test('granting a collaborator request upgrades a viewer permission added meanwhile', async () => {
    const colleague = await server.person('publisher');
    const { body } = await ask({}, guid, colleague);
    const principal = { principal_guid: colleague.guid, principal_type: 'user' };
    const permissions = `/v1/content/${guid}/permissions`;
    await owner.call('POST', permissions, { body: { ...principal, role: 'viewer' } });
    expect((await decide(body.id, { decision: 'grant', role: 'owner' })).status).toBe(204);
    expect((await owner.call('GET', permissions)).body).toEqual([
      expect.objectContaining({ ...principal, role: 'owner' }),
    ]);
    expect((await owner.call('GET', path())).body).toEqual([]);
  });

  test('deleting the content deletes its requests', async () => {
    await ask();
    expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
    const { db } = server.running.services.storage;
    const left = db.selectFrom('access_request').selectAll().where('content_guid', '=', guid).execute();
    expect(await left).toEqual([]);
  });
});

test('access requests are mailed to all who may grant them, and the outcome to the requester', async () => {
  await using mailbox = await openMailbox();
  await using own = await startTestServer();
  const keeper = await own.person('publisher', { email: 'keeper@example.com' });
  const colleague = await own.person('publisher', { email: 'colleague@example.com' });
  const reader = await own.person('viewer', { email: 'reader@example.com' });
  const visitor = await own.person('viewer', { email: 'visitor@example.com' });
  const { body } = await keeper.call('POST', '/v1/content', { body: { name: 'plans', access_type: 'acl' } });
  for (const [person, role] of [
    [colleague, 'owner'],
    [reader, 'viewer'],
  ] as const)
    await keeper.call('POST', `/v1/content/${body.guid}/permissions`, {
      body: { principal_guid: person.guid, principal_type: 'user', role },
    });
  await own.restart({ 'Mail.URL': mailbox.url, 'Server.Address': 'https://reports.example.com' });
  const message = 'For the report';
  const asked = await visitor.call('POST', path(body.guid), { body: { message } });
  expect(asked.status).toBe(200);
  const mails = [await mailbox.next(), await mailbox.next()];
  const to = (mail: string) => /^To: (.*)$/m.exec(mail)?.[1];
  expect(new Set(mails.map(to))).toEqual(new Set(['colleague@example.com', 'keeper@example.com']));
  for (const mail of mails) {
    expect(mail).toContain('Subject: Access to plans');
    expect(mail).toContain(visitor.username);
    expect(mail).toContain(message);
    expect(mail).toContain(`/__dashboard__/content/${body.guid}/access`);
  }
  expect(mailbox.waiting).toBe(0);
  const decided = `${path(body.guid)}/${asked.body.id}`;
  expect((await keeper.call('PUT', decided, { body: { decision: 'decline' } })).status).toBe(204);
  const outcome = await mailbox.next();
  expect(to(outcome)).toBe('visitor@example.com');
  expect(outcome).toContain('was declined');
  // The mail contains the address, but nothing about the content.
  expect(outcome).not.toContain('plans');
});

describe('Requests for the publisher role', () => {
  const send = (person: Person, body: object = {}) => person.call('POST', '/v1/role-requests', { body });
  const respond = (person: Person, who: Person, decision: string) =>
    person.call('PUT', `/v1/role-requests/${who.guid}`, { body: { decision } });

  test('allows one request in 24 hours, which only administrators decide', async () => {
    const admin = await server.person('administrator', { email: 'a@example.com' });
    const listed = async () =>
      (await admin.call('GET', '/v1/role-requests')).body.filter(
        (one: { user_guid: string }) => one.user_guid === guest.guid,
      );
    expect(await send(guest, { message: 'For my team' })).toMatchObject({ status: 200 });
    expect(await listed()).toMatchObject([{ username: guest.username, message: 'For my team' }]);
    expect(await send(guest)).toMatchObject({ status: 400, body: { code: 94 } });
    expect(await send(owner)).toMatchObject({ status: 409, body: { code: 16 } });
    expect(await respond(guest, guest, 'grant')).toMatchObject({ status: 403, body: { code: 22 } });
    expect(await respond(owner, guest, 'grant')).toMatchObject({ status: 403, body: { code: 22 } });
    expect(await respond(admin, guest, 'decline')).toMatchObject({ status: 204 });
    expect(await respond(admin, guest, 'grant')).toMatchObject({ status: 404, body: { code: 18 } });
    expect(await listed()).toEqual([]);
    expect(await send(guest)).toMatchObject({ status: 400, body: { code: 94 } });
    ahead = DAY;
    try {
      expect((await send(guest)).status).toBe(200);
      expect((await respond(admin, guest, 'grant')).status).toBe(204);
    } finally {
      ahead = 0;
    }
    expect((await guest.call('GET', '/v1/user')).body.user_role).toBe('publisher');
    const log = await admin.call('GET', '/v1/audit_logs?limit=10&ascOrder=false');
    const actions = log.body.results.map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(expect.arrayContaining(['ask_role', 'decline_role', 'edit_user']));
  });

  test('of two simultaneous decisions exactly one takes effect', async () => {
    const admin = await server.person('administrator', { email: 'two@example.com' });
    for (const _ of [1, 2, 3]) {
      const person = await server.person('viewer');
      expect((await send(person)).status).toBe(200);
      const [decline, grant] = await Promise.all([
        respond(admin, person, 'decline'),
        respond(admin, person, 'grant'),
      ]);
      expect([decline.status, grant.status].toSorted((a, b) => a - b)).toEqual([204, 404]);
      const { user_role } = (await person.call('GET', '/v1/user')).body;
      expect(user_role).toBe(grant.status === 204 ? 'publisher' : 'viewer');
    }
  });

  test('requires an administrator with an e-mail address, and mails all of them', async () => {
    await using mailbox = await openMailbox();
    await using own = await startTestServer();
    const admin = await own.administrator();
    const { db } = own.running.services.storage;
    await db.updateTable('user_account').set({ email: '' }).where('guid', '=', admin.guid).execute();
    const viewer = await own.person('viewer', { email: 'viewer@example.com' });
    expect(await send(viewer)).toMatchObject({ status: 400, body: { code: 124 } });
    await own.person('administrator', { email: 'second@example.com' });
    await own.restart({ 'Mail.URL': mailbox.url });
    expect((await send(viewer, { message: 'For my team' })).status).toBe(200);
    const mail = await mailbox.next();
    expect(mail).toContain('To: second@example.com');
    expect(mail).toContain('For my team');
    expect(mail).toContain(`/__dashboard__/requests`);
    expect((await respond(admin, viewer, 'grant')).status).toBe(204);
    expect(await mailbox.next()).toContain('To: viewer@example.com');
  });
});
