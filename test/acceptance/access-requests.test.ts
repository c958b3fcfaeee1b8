// People ask for access to content, and those who share it decide.
import { openMailbox, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const DAY = 24 * 3_600_000_000;
let server: TestServer;
let owner: Person;
let guest: Person;
let guid: string;
/** Microseconds that the server is ahead. */
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

describe('a request for access', () => {
  test('is granted: the permission is added, the request is gone, and both are audited', async () => {
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

  test('is declined, and can be made again; a collaborator must be a publisher', async () => {
    const { id } = (await ask()).body;
    expect(await decide(id, { decision: 'grant', role: 'owner' })).toMatchObject({ body: { code: 33 } });
    expect((await owner.call('GET', path())).body).toHaveLength(1);
    expect(await decide(id, { decision: 'decline' })).toMatchObject({ status: 204 });
    expect(await decide(id, { decision: 'decline' })).toMatchObject({ status: 404, body: { code: 18 } });
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(403);
    expect((await ask()).status).toBe(200);
  });

  test('is one at a time, and no business of others', async () => {
    const both = await Promise.all([ask(), ask()]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const [{ id }] = (await owner.call('GET', path())).body;
    expect(await guest.call('GET', path())).toMatchObject({ status: 403, body: { code: 19 } });
    expect(await decide(id, { decision: 'grant' }, guest)).toMatchObject({ status: 403, body: { code: 19 } });
    expect(await ask({}, guid, owner)).toMatchObject({ status: 409, body: { code: 16 } });
    expect(await ask({}, '11111111-2222-3333-4444-555555555555')).toMatchObject({ body: { code: 4 } });
  });

  test.each([['a\nb'], ['x'.repeat(501)], ['\u001b[2J']])(
    'with the message %j is refused',
    async (message) => {
      expect(await ask({ message })).toMatchObject({ status: 400, body: { code: 25 } });
    },
  );

  test('is open for 30 days, ten of them for a person', async () => {
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

  test('is done with by a grant, also where they have got access meanwhile', async () => {
    const { body } = await ask();
    const principal = { principal_guid: guest.guid, principal_type: 'user', role: 'viewer' };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body: principal });
    expect((await decide(body.id, { decision: 'grant' })).status).toBeLessThan(300);
    expect((await owner.call('GET', path())).body).toEqual([]);
  });

  test('for a collaborator extends what a viewer has got meanwhile', async () => {
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

  test('ends with the content', async () => {
    await ask();
    expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
    const { db } = server.running.services.storage;
    const left = db.selectFrom('access_request').selectAll().where('content_guid', '=', guid).execute();
    expect(await left).toEqual([]);
  });
});

test('the owner is mailed who asks, why, and where to decide', async () => {
  await using mailbox = await openMailbox();
  await using own = await startTestServer();
  const keeper = await own.person('publisher');
  const visitor = await own.person('viewer');
  const { body } = await keeper.call('POST', '/v1/content', { body: { name: 'plans' } });
  await own.restart({ 'Mail.URL': mailbox.url, 'Server.Address': 'https://reports.example.com' });
  const message = 'For the report';
  expect((await visitor.call('POST', path(body.guid), { body: { message } })).status).toBe(200);
  const mail = await mailbox.next();
  expect(mail).toContain('Subject: Access to plans');
  expect(mail).toContain(visitor.username);
  expect(mail).toContain(message);
  expect(mail).toContain(`/__dashboard__/content/${body.guid}/access`);
});
