// Covers API keys with a role and an expiry, and sessions: listed and ended. A revocation is effective once its response
// arrives.
import { randomUUID } from 'node:crypto';
import {
  caller,
  createBrowser,
  refused,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertUser, userOf } from '../../../packages/server/src/people/store.ts';

const PASSWORD = 'correct horse';
const ABSENT = '00000000-0000-4000-8000-000000000000';
let now = Date.UTC(2030, 0, 1) * 1000;
const DAY = 86_400_000_000;
/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const stamp = (micros: number) => new Date(micros / 1000).toISOString();

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ clock: { now: () => (now += 1) } });
  admin = await server.administrator();
});
afterAll(() => server[Symbol.asyncDispose]());

const keyOf = async (who: Person, body: object) => {
  const made = await who.call('POST', `/v1/users/${who.guid}/keys`, { body: { name: 'k', ...body } });
  return { made, call: caller(() => server.url, (made.body.key as string | undefined) ?? null) };
};

describe('API keys with a role', () => {
  test('the same request again is refused as soon as the key has expired', async () => {
    const { call } = await keyOf(admin, { expires_time: stamp(now + 500_000) });
    // The first one records the activity of the key, which voids the cached response.
    for (let i = 0; i < 3; i += 1) expect((await call('GET', '/v1/user')).status).toBe(200);
    now += 500_000;
    expect(await call('GET', '/v1/user')).toMatchObject(refused(401, 24));
  });

  test('a key has no more rights than its role, even for an administrator', async () => {
    const { made, call } = await keyOf(admin, { role: 'viewer' });
    expect(made.body).toMatchObject({ role: 'viewer', expires_time: null });
    expect((await call('GET', '/v1/user')).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v1/audit_logs'],
      ['POST', '/v1/users'],
      ['POST', '/v1/content'],
      ['POST', `/v1/users/${admin.guid}/password_link`],
    ] as const) {
      const body = { name: 'made-with-it', username: 'x', password: 'secret1', email: 'x@example.com' };
      expect(await call(method, path, method === 'POST' ? { body } : {}), path).toMatchObject({
        status: 403,
        body: { code: 22 },
      });
    }
    const publishing = await keyOf(admin, { role: 'publisher' });
    expect((await publishing.call('POST', '/v1/content', { body: { name: 'published' } })).status).toBe(200);
    expect(await publishing.call('GET', '/v1/audit_logs')).toMatchObject({ status: 403, body: { code: 22 } });
  });

  test('a refusal says that the key is limited, not the account', async () => {
    const owner = await server.person('publisher');
    const { body } = await owner.call('POST', '/v1/content', { body: { name: 'of-the-owner' } });
    const { call } = await keyOf(owner, { role: 'viewer' });
    const limited = { error: 'this API key is limited to the role viewer', payload: { key_role: 'viewer' } };
    for (const [method, path, code] of [
      ['POST', '/v1/content', 22],
      ['POST', `/v1/content/${body.guid}/deploy`, 22],
      ['PATCH', `/v1/content/${body.guid}`, 22],
    ] as const)
      expect((await call(method, path, { body: { name: 'another' } })).body, path).toMatchObject({
        code,
        ...limited,
      });
    // The account may not, either.
    const { body: own } = await owner.call('GET', '/v1/audit_logs');
    expect(own).toMatchObject({ code: 22, payload: null });
  });

  test('rejects a role above its owner’s with error 23, and follows a demotion of the owner', async () => {
    const publisher = await server.person('publisher');
    expect((await keyOf(publisher, { role: 'administrator' })).made).toMatchObject(refused(403, 23));
    expect((await keyOf(publisher, { role: 'king' })).made).toMatchObject(refused(400, 112));
    const { call } = await keyOf(publisher, { role: 'publisher' });
    expect((await call('POST', '/v1/content', { body: { name: 'before' } })).status).toBe(200);
    await admin.call('PUT', `/v1/users/${publisher.guid}`, { body: { user_role: 'viewer' } });
    expect(await call('POST', '/v1/content', { body: { name: 'after' } })).toMatchObject(refused(403, 22));
  });

  test('a key cannot create a stronger or longer-lived key, or change the e-mail address', async () => {
    const until = stamp(now + DAY);
    const { call } = await keyOf(admin, { role: 'publisher', expires_time: until });
    const make = (body: object) => call('POST', '/keys', { body: { name: 'child', ...body } });
    expect((await make({})).body).toMatchObject({ role: 'publisher', expires_time: until });
    expect((await make({ role: 'viewer' })).body).toMatchObject({ role: 'viewer', expires_time: until });
    expect(await make({ role: 'administrator' })).toMatchObject(refused(403, 23));
    expect((await make({ expires_time: stamp(now + 9 * DAY) })).body).toMatchObject({ expires_time: until });
    const moved = { body: { email: 'mallory@example.com' } };
    expect(await call('PUT', `/v1/users/${admin.guid}`, moved)).toMatchObject(refused(403, 21));
  });
});

describe('API keys with an expiry', () => {
  test('times that only RFC 3339 knows do not make a key valid for ever, nor longer than its creator', async () => {
    const { call } = await keyOf(admin, { expires_time: stamp(now + DAY) });
    for (const [expires_time, read] of [
      ['2030-06-30T23:59:60Z', '2030-07-01T00:00:00.000Z'],
      ['2030-07-01T00:59:60.5+01:00', '2030-07-01T00:00:00.500Z'],
    ] as const) {
      expect((await keyOf(admin, { expires_time })).made.body).toMatchObject({ expires_time: read });
      const child = await call('POST', '/keys', { body: { name: 'child', expires_time } });
      expect(Date.parse(child.body.expires_time)).toBeLessThan(now / 1000 + 2 * 86_400_000);
    }
    const { made } = await keyOf(admin, { expires_time: '2030-07-01T00:00:00+01' });
    expect(made).toMatchObject(refused(400, 136));
  });

  test('a key works until it expires, and its last use is listed', async () => {
    const viewer = await server.person('viewer');
    const { made, call } = await keyOf(viewer, { expires_time: stamp(now + DAY) });
    expect((await call('GET', '/v1/user')).status).toBe(200);
    now += 2 * DAY;
    expect(await call('GET', '/v1/user?late')).toMatchObject(refused(401, 24));
    const { body } = await viewer.call('GET', `/v1/users/${viewer.guid}/keys`);
    expect(body.find((key: { id: string }) => key.id === made.body.id)).toMatchObject({
      last_used_time: expect.any(String) as string,
      expires_time: made.body.expires_time,
    });
  });

  test('rejects a past or malformed expiry with errors 25 and 136', async () => {
    expect((await keyOf(admin, { expires_time: stamp(now - DAY) })).made).toMatchObject(refused(400, 25));
    for (const expires_time of ['tomorrow', '2200-01-01T00:00:00Z', '9999-12-31T00:00:00Z'])
      expect((await keyOf(admin, { expires_time })).made).toMatchObject(refused(400, 136));
    expect((await keyOf(admin, { expires_time: '2199-12-31T23:59:59Z' })).made.status).toBe(200);
  });
});

test.each([
  ['with a JSON body', 'POST', () => ({ path: '/keys', body: Buffer.from('{"name":"late"}') })],
  ['with a file', 'PUT', (guid: string) => ({ path: `/v1/content/${guid}/thumbnail`, body: PIXEL })],
  [
    'with a body that it does not need',
    'DELETE',
    (guid: string) => ({ path: `/v1/content/${guid}`, body: PIXEL }),
  ],
] as const)(
  'a request %s that is complete only after its key was revoked has no effect',
  async (_with, method, of) => {
    const publisher = await server.person('publisher');
    const { guid } = (await publisher.call('POST', '/v1/content', { body: { name: `late-${method}` } })).body;
    const { made, call } = await keyOf(publisher, {});
    const keys = `/v1/users/${publisher.guid}/keys`;
    const { path, body } = of(guid);
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const sent = call(method, path, { raw: readable });
    await writer.write(body.subarray(0, 5));
    const isUsed = async () =>
      (await publisher.call('GET', keys)).body.find((key: { id: string }) => key.id === made.body.id)
        .last_used_time !== null;
    await expect.poll(isUsed).toBe(true);
    expect((await publisher.call('DELETE', `${keys}/${made.body.id}`)).status).toBe(204);
    await writer.write(body.subarray(5));
    await writer.close();
    expect(await sent).toMatchObject(refused(401, 24));
    expect((await publisher.call('GET', keys)).body).toHaveLength(1);
    expect((await publisher.call('GET', `/v1/content/${guid}`)).status).toBe(200);
    expect((await publisher.call('GET', `/v1/content/${guid}/thumbnail`)).status).toBe(404);
  },
);

describe('Dashboard', () => {
  const enter = async ({ username }: { username: string }) => {
    const browser = createBrowser();
    await browser.submit(`${server.url}/__login__`, { username, password: PASSWORD });
    return browser;
  };

  test('a key is not made if its end is not one of those offered', async () => {
    const viewer = await server.person('viewer');
    const browser = await enter(viewer);
    const make = (days: string) => {
      const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF') ?? '';
      return browser.submit(`${server.url}/__dashboard__/keys`, { xsrf, name: 'dashboard key', days });
    };
    for (const days of ['soon', '9'.repeat(20), '-1']) expect((await make(days)).status).toBe(400);
    expect((await viewer.call('GET', `/v1/users/${viewer.guid}/keys`)).body).toHaveLength(1);
    expect((await make('7')).status).toBe(200);
  });

  test('a search for people shows all who match, and how many', async () => {
    const { db } = server.running.services.storage;
    const {
      guid: _guid,
      username_key: _a,
      first_name_key: _b,
      last_name_key: _c,
      ...row
    } = await userOf(db, (await server.person('viewer')).guid);
    for (let i = 0; i < 51; i += 1)
      await insertUser(db, { ...row, guid: randomUUID(), username: `quentin${i}` });
    const page = await (
      await enter(await server.administrator())
    ).get(`${server.url}/__dashboard__/users?q=quentin`);
    expect(page.text).toContain('51 people');
    expect(page.text.match(/>Select quentin\d+<\/span>/g)).toHaveLength(51);
  });
});

describe('Sessions of an account', () => {
  const enter = async (username: string, agent: string) => {
    const browser = createBrowser({ 'User-Agent': agent });
    await browser.submit(`${server.url}/__login__`, { username, password: PASSWORD });
    return { browser, status: async () => (await browser.get(`${server.url}/__api__/v1/user`)).status };
  };

  test('owners and administrators list sessions without their secrets', async () => {
    const viewer = await server.person('viewer');
    const first = await enter(viewer.username, 'Chromium/1');
    await enter(viewer.username, 'Firefox/2');
    const path = `/v1/users/${viewer.guid}/sessions`;
    const page = await first.browser.api('GET', `${server.url}/__api__${path}`);
    expect(JSON.parse(page.text)).toMatchObject([
      { agent: 'Firefox/2', address: '127.0.0.1', current: false, user_guid: viewer.guid },
      { agent: 'Chromium/1', current: true },
    ]);
    const token = first.browser.cookie(`${server.url}/`, 'pressroom-session')!;
    expect(page.text).not.toContain(token);
    expect((await admin.call('GET', path)).body).toHaveLength(2);
    const other = await server.person('publisher');
    expect(await other.call('GET', path)).toMatchObject(refused(403, 19));
    expect(await admin.call('GET', `/v1/users/${ABSENT}/sessions`)).toMatchObject(refused(404, 4));
  });

  test('only the owner and administrators end single sessions', async () => {
    const viewer = await server.person('viewer');
    const other = await server.person('publisher');
    const [first, second] = [await enter(viewer.username, 'First'), await enter(viewer.username, 'Second')];
    const path = `/v1/users/${viewer.guid}/sessions`;
    const list = (await viewer.call('GET', path)).body as { id: string; agent: string }[];
    const idOf = (agent: string) => list.find((item) => item.agent === agent)!.id;
    expect(await other.call('DELETE', `${path}/${idOf('First')}`)).toMatchObject(refused(403, 19));
    expect([await first.status(), await second.status()]).toEqual([200, 200]);
    expect((await viewer.call('DELETE', `${path}/${idOf('First')}`)).status).toBe(204);
    expect([await first.status(), await second.status()]).toEqual([401, 200]);
    expect((await admin.call('DELETE', `${path}/${idOf('Second')}`)).status).toBe(204);
    expect(await second.status()).toBe(401);
    expect(await viewer.call('DELETE', `${path}/${idOf('First')}`)).toMatchObject(refused(404, 17));
    // The id of somebody else's session ends nothing.
    await enter(other.username, 'Other');
    const [theirs] = (await other.call('GET', `/v1/users/${other.guid}/sessions`)).body as { id: string }[];
    expect(await viewer.call('DELETE', `${path}/${theirs!.id}`)).toMatchObject(refused(404, 17));
  });

  test('M1: signing in replaces the existing session with a new one', async () => {
    const viewer = await server.person('viewer');
    const { browser } = await enter(viewer.username, 'Victim');
    const planted = browser.cookie(`${server.url}/`, 'pressroom-session')!;
    await browser.submit(`${server.url}/__login__`, { username: viewer.username, password: PASSWORD });
    expect(browser.cookie(`${server.url}/`, 'pressroom-session')).not.toBe(planted);
    const before = { Cookie: `pressroom-session=${planted}` };
    expect((await server.anonymous('GET', '/v1/user', { headers: before })).status).toBe(401);
  });
});

describe('Low: Viewers restricted to seeing themselves', () => {
  test('other users stay hidden, by guid, as members of a group and as owners of content', async () => {
    await using own = await startTestServer({ settings: {} });
    const boss = await own.administrator();
    const [viewer, other] = [await own.person('viewer'), await own.person('publisher')];
    const group = (await boss.call('POST', '/v1/groups', { body: { name: 'everybody' } })).body
      .guid as string;
    for (const { guid } of [viewer, other])
      await boss.call('POST', `/v1/groups/${group}/members`, { body: { user_guid: guid } });
    const members = async (who: Person) =>
      ((await who.call('GET', `/v1/groups/${group}/members`)).body.results as { guid: string }[])
        .map((user) => user.guid)
        .sort();
    expect(await members(viewer)).toEqual([viewer.guid, other.guid].sort());
    const made = await other.call('POST', '/v1/content', { body: { name: 'of-other', access_type: 'all' } });
    const overview = async () => {
      const browser = createBrowser();
      await browser.submit(`${own.url}/__login__`, { username: viewer.username, password: PASSWORD });
      const page = await browser.get(`${own.url}/__dashboard__/content/${made.body.guid}`);
      return [page.status, page.text.includes(other.username)];
    };
    expect(await overview()).toEqual([200, true]);
    await own.restart({ 'Authorization.ViewersCanOnlySeeThemselves': true });
    expect(await viewer.call('GET', `/v1/users/${other.guid}`)).toMatchObject(refused(404, 4));
    expect((await viewer.call('GET', `/v1/users/${viewer.guid}`)).status).toBe(200);
    expect(await members(viewer)).toEqual([viewer.guid]);
    expect(await overview()).toEqual([200, false]);
    expect(await members(other)).toEqual([viewer.guid, other.guid].sort());
    expect((await other.call('GET', `/v1/users/${viewer.guid}`)).status).toBe(200);
  });
});
