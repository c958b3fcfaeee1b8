// Covers removal of rights: it is effective once its response arrives, even on a server with cached records.
import { once } from 'node:events';
import { startServer } from '@pressroom/server';
import { grant, publish, startTestServer, testLog, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { type Relay, startRelay } from './relay.ts';

const isShared = process.env.PRESSROOM_TEST_ENGINE === 'postgres';

type Files = Parameters<typeof publish>[1];
type PublishOptions = Parameters<typeof publish>[2];

interface Rig extends AsyncDisposable {
  readonly server: TestServer;
  readonly admin: Person;
  readonly owner: Person;
  /** Address of another server of the same database, if the engine allows one. */
  readonly elsewhere: string;
  /** Relay between that server and the database. */
  readonly relay: Relay | null;
}

async function start(): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startTestServer());
  const { config } = server.running.services;
  const relay = isShared ? stack.use(await startRelay(config['Database.URL'])) : null;
  const second =
    relay &&
    stack.use(await startServer({ config: { ...config, 'Database.URL': relay.url }, log: testLog() }));
  const [admin, owner] = [await server.administrator(), await server.person('publisher')];
  const opened = stack.move();
  return {
    server,
    admin,
    owner,
    elsewhere: second?.url ?? server.url,
    relay,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface Taken {
  readonly path: string;
  /** Null for an anonymous visitor. */
  readonly person: Person | null;
  take(): Promise<{ readonly status: number }>;
  /** Status after the right was lost. */
  readonly status: number;
}

/** Ways to lose a right. */
const WAYS: Record<string, (rig: Rig) => Promise<Taken>> = {
  async 'a revoked key'({ server, admin }) {
    const person = await server.person('publisher');
    const keys = (await admin.call('GET', `/v1/users/${person.guid}/keys`)).body;
    const take = () => admin.call('DELETE', `/v1/users/${person.guid}/keys/${keys[0].id}`);
    return { path: '/__api__/v1/user', person, take, status: 401 };
  },
  async 'a locked account'({ server, admin }) {
    const person = await server.person('viewer');
    const take = () => admin.call('POST', `/v1/users/${person.guid}/lock`, { body: { locked: true } });
    return { path: '/__api__/v1/user', person, take, status: 403 };
  },
  async 'a lower role'({ server, admin }) {
    const person = await server.person('administrator');
    const take = () => admin.call('PUT', `/v1/users/${person.guid}`, { body: { user_role: 'viewer' } });
    return { path: '/__api__/v1/audit_logs', person, take, status: 403 };
  },
  async 'a permission on content'({ server, owner }) {
    const person = await server.person('viewer');
    const guid = await publishClosed(owner, { 'index.html': 'x' });
    const made = await grant(owner, guid, person, 'viewer');
    const take = () => owner.call('DELETE', `/v1/content/${guid}/permissions/${made.id}`);
    return { path: `/content/${guid}/`, person, take, status: 403 };
  },
  async 'content that everybody could see'({ server, owner }) {
    const person = await server.person('viewer');
    const { guid } = await publish(owner, { 'index.html': 'x' });
    const set = (access_type: string) =>
      owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type } });
    await set('all');
    return { path: `/content/${guid}/`, person, take: () => set('acl'), status: 403 };
  },
  async 'a page that nobody had to sign in for'({ owner }) {
    const { guid } = await publish(owner, { 'index.html': 'x' });
    const set = (access_type: string) =>
      owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type } });
    await set('all');
    return { path: `/content/${guid}/`, person: null, take: () => set('logged_in'), status: 401 };
  },
  async 'such a page that was locked'({ owner, admin }) {
    const { guid } = await publish(owner, { 'index.html': 'x' });
    await owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'all' } });
    const take = () => admin.call('PATCH', `/v1/content/${guid}`, { body: { locked: true } });
    return { path: `/content/${guid}/`, person: null, take, status: 403 };
  },
  async 'such a page that was deleted'({ owner }) {
    const { guid } = await publish(owner, { 'index.html': 'x' });
    await owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'all' } });
    const take = () => owner.call('DELETE', `/v1/content/${guid}`);
    return { path: `/content/${guid}/`, person: null, take, status: 404 };
  },
  async 'an address of such a page'({ owner }) {
    const { guid } = await publish(owner, { 'index.html': 'x' });
    await owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'all' } });
    const path = `/of-${guid}/`;
    await owner.call('PUT', `/v1/content/${guid}/vanity`, { body: { path } });
    const take = () => owner.call('DELETE', `/v1/content/${guid}/vanity`);
    return { path, person: null, take, status: 404 };
  },
};

/** Publishes content that only its owner and named people may see. */
async function publishClosed(owner: Person, files: Files, options?: PublishOptions): Promise<string> {
  const { guid } = await publish(owner, files, options);
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'acl' } });
  return guid;
}

async function statusOf({ elsewhere }: Rig, { path, person }: Taken): Promise<number> {
  const headers = person === null ? {} : { Authorization: `Key ${person.key}` };
  const response = await fetch(elsewhere + path, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** Lets the other server cache what it can, runs `before`, removes the right and asks at once. */
async function takeFrom(
  rig: Rig,
  way: string,
  before = () => {},
): Promise<[answered: number, right: number]> {
  const taken = await WAYS[way]!(rig);
  for (let i = 0; i < 3; i += 1) expect(await statusOf(rig, taken)).toBe(200);
  before();
  // Requests in progress at the removal may get either result.
  const during = [statusOf(rig, taken), statusOf(rig, taken)];
  expect((await taken.take()).status).toBeLessThan(300);
  const after = await statusOf(rig, taken);
  for (const status of await Promise.all(during)) expect([200, taken.status]).toContain(status);
  return [after, taken.status];
}

describe('Without delays', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await start();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each(Object.keys(WAYS))('%s applies when the request returns, on every server', async (way) => {
    for (let i = 0; i < 4; i += 1) {
      const [answered, right] = await takeFrom(rig, way);
      expect(answered).toBe(right);
    }
  });

  if (isShared)
    test('a WebSocket on the other server closes when its permission is removed', async () => {
      const person = await rig.server.person('viewer');
      const guid = await publishClosed(rig.owner, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
      const made = await grant(rig.owner, guid, person, 'viewer');
      const headers = { Authorization: `Key ${person.key}` };
      const socket = new WebSocket(`${rig.elsewhere.replace('http', 'ws')}/content/${guid}/`, { headers });
      await once(socket, 'open');
      const closed = once(socket, 'close');
      await rig.owner.call('DELETE', `/v1/content/${guid}/permissions/${made.id}`);
      expect((await closed)[0]).toEqual(expect.any(Number));
    });
});

if (isShared)
  test.each(Object.keys(WAYS))('%s applies even when events are late or lost', async (way) => {
    await using rig = await start();
    for (const late of [300, Infinity]) {
      const [answered, right] = await takeFrom(rig, way, () => rig.relay?.delay(late));
      expect(answered).toBe(right);
      rig.relay?.delay(0);
    }
  });
