// Covers visitor API keys (ADR 33): who may allow them, what the token of a visit is exchanged for, what such a key may
// do, and when it ends.
import { type Endpoint, operations } from '@pressroom/api/contract';
import {
  caller,
  createBrowser,
  grant,
  makeArchive,
  publish,
  startTestServer,
  type Call,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { cookieHeader, originOf, signIn, visitorOf } from './hand-over.ts';
import { ask, NAVIGATION } from './raw-request.ts';
import { visitToken } from './visit-token.ts';

/** Typed by hand: what no visitor API key may do. */
const NEVER = [
  ['createApiKey', 'createOwnApiKey', 'deleteApiKey', 'getApiKeys', 'getSessions', 'endSession'],
  ['changePassword', 'updateUser', 'requestPublisherRole', 'createPullUser'],
  ['addPermission', 'updatePermission', 'deletePermission', 'transferContent'],
  ['requestContentAccess', 'decideContentAccessRequest', 'addTrustedPublisher', 'removeTrustedPublisher'],
  ['addApplicationUser', 'removeApplicationUser', 'addApplicationGroup', 'removeApplicationGroup'],
  ['setApplicationRunAs', 'createGroup', 'createRemoteGroup', 'deleteGroup'],
  ['addGroupMember', 'removeGroupMember', 'approveRelease', 'overrideRelease'],
  ['setApprovalRule', 'deleteApprovalRule', 'acceptHeldRendering'],
  ['setRepository', 'updateRepository', 'renewRepositorySecret', 'exchangeVisitorToken'],
].flat();

/** Answers with the token of the visit, and the content's own key. */
const APP = asgi({
  '/': 'answer = [headers.get("posit-connect-user-session-token"), os.environ["CONNECT_API_KEY"]]',
});
const keyed = (Object.values(operations) as Endpoint[]).filter(({ access }) => access !== 'anyone');
const refused = (status: number, code: number) => ({ status, body: { code } });

let server: TestServer;
let admin: Person;
let owner: Person;
let viewer: Person;
let app: Published;
/** The integrations, by maximum role. */
let reads: string;
let publishes: string;

beforeAll(async () => {
  server = await startTestServer({ settings: { 'Applications.VisitorKeys': 'publisher' } });
  admin = await server.administrator();
  owner = await server.person('publisher', { password: 'correct horse' });
  viewer = await server.person('viewer', { password: 'correct horse' });
  const offered = (await viewer.call('GET', '/v1/oauth/integrations')).body;
  [reads, publishes] = offered.map(({ guid }: { guid: string }) => guid);
  app = await publish(owner, APP, { metadata: ASGI, fields: { name: 'gallery' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const associations = (guid = app.guid) => `/v1/content/${guid}/oauth/integrations/associations`;
const allow = (integration: string | null, person = admin, guid = app.guid) =>
  person.call('PUT', associations(guid), {
    body: integration === null ? [] : [{ oauth_integration_guid: integration }],
  });

interface Arrived {
  readonly token: string | null;
  /** The key of the content itself. */
  readonly own: Call;
}

/** A request to the application, answered with the visitor's token and the content's own key. */
type Visit = () => Promise<[string | null, string]>;

const byKey =
  (call: Call): Visit =>
  async () =>
    (await call('GET', app.path)).body;

async function arrived(visit: Visit): Promise<Arrived> {
  const [token, key] = await visit();
  return { token, own: caller(() => server.url, key) };
}

const exchange = (call: Call, token: string | null, more: object = {}) =>
  call('POST', '/v1/oauth/integrations/credentials', {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:posit:connect:user-session-token',
      subject_token: token,
      ...more,
    },
  });

/** The key that the application gets for a visitor. */
async function keyFrom(visit: Visit): Promise<string> {
  const { token, own } = await arrived(visit);
  const { status, body } = await exchange(own, token);
  expect(status).toBe(200);
  return body.access_token;
}

/** Acts for a visitor, by the application. */
async function actingFor(visit: Visit): Promise<Call> {
  const key = await keyFrom(visit);
  return caller(() => server.url, key);
}

/** With a session in a browser. */
async function signedIn(person: Person) {
  const { session, cookie } = await visitorOf(server.url, app, person);
  const visit: Visit = async () => {
    const at = originOf(server.url, app);
    return JSON.parse((await ask(at, app.path.slice(1), { ...NAVIGATION, cookie })).text);
  };
  const signOut = () =>
    fetch(`${server.url}/__logout__`, {
      method: 'POST',
      headers: { Cookie: cookieHeader(session), 'X-RSC-XSRF': session['RSC-XSRF']! },
    });
  return { visit, signOut };
}

describe('who may allow it', () => {
  test('an administrator, for single items; owners and the content itself may not', async () => {
    expect((await arrived(byKey(viewer.call))).token).toBeNull();
    const { own } = await arrived(byKey(viewer.call));
    for (const call of [owner.call, own])
      expect(await allow(reads, { ...owner, call })).toMatchObject(refused(403, 22));
    expect((await allow(reads)).status).toBe(204);
    expect((await viewer.call('GET', associations())).body).toMatchObject([
      { app_guid: app.guid, oauth_integration_guid: reads, oauth_integration_template: 'connect' },
    ]);
    const of = `/v1/oauth/integrations/${reads}/associations`;
    expect((await admin.call('GET', of)).body).toMatchObject([{ app_guid: app.guid }]);
    expect(await owner.call('GET', of)).toMatchObject(refused(403, 22));
    const log = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=5')).body.results;
    expect(log.map((one: { event_description: string }) => one.event_description)).toContain(
      `Content gallery (${app.guid}) may act for its visitors, as a viewer`,
    );
  });

  test('one of the two integrations that the server offers', async () => {
    expect((await viewer.call('GET', '/v1/oauth/integrations')).body).toMatchObject([
      { template: 'connect', auth_type: 'Visitor API Key', config: { max_role: 'Viewer' } },
      { template: 'connect', auth_type: 'Visitor API Key', config: { max_role: 'Publisher' } },
    ]);
  });

  test('the page Access shows it to owners, and lets administrators decide', async () => {
    const at = `${server.url}/__dashboard__/content/${app.guid}/access`;
    const pageOf = async ({ username }: Person, at: string) => {
      const browser = createBrowser();
      await browser.submit(`${server.url}/__login__`, { username, password: 'correct horse' });
      const choose = (integration: string, chosen: string) =>
        browser.submit(`${at}/visitors`, {
          shown_visitors: JSON.stringify({ chosen }),
          integration,
          xsrf: browser.cookie(`${server.url}/`, 'RSC-XSRF') ?? '',
        });
      return { choose, text: async () => (await browser.get(at)).text };
    };
    const [ofAdmin, ofOwner] = [await pageOf(admin, at), await pageOf(owner, at)];
    const files = await publish(owner, { 'index.html': 'x' });
    const ofFiles = await pageOf(owner, at.replace(app.guid, files.guid));
    expect(await ofFiles.text()).toContain('Custom path');
    expect(await ofFiles.text()).not.toContain('It may:');
    await allow(null);
    expect(await ofOwner.text()).toContain('It may: Nothing.');
    expect((await ofOwner.choose(reads, '')).status).toBe(403);
    expect((await ofAdmin.choose(reads, '')).status).toBe(303);
    // A page from before that.
    const stale = (await ofAdmin.choose(publishes, '')).text;
    expect(stale).toContain('Now: Read what its visitors may read. Nothing was saved');
    expect(await ofAdmin.text()).toContain(`<option value="${reads}" selected>`);
    expect(await ofOwner.text()).toContain('It may: Read what its visitors may read.');
    await ofAdmin.choose('', reads);
    expect((await viewer.call('GET', associations())).body).toEqual([]);
  });

  test('one integration that the server has, for content that exists', async () => {
    const nowhere = '11111111-2222-4333-8444-555555555555';
    expect(await allow(nowhere)).toMatchObject({ status: 400, body: { code: 25 } });
    expect(await allow(reads, admin, nowhere)).toMatchObject(refused(404, 4));
    const body = [reads, publishes].map((guid) => ({ oauth_integration_guid: guid }));
    expect(await admin.call('PUT', associations(), { body })).toMatchObject(refused(400, 25));
    expect((await admin.call('GET', `/v1/oauth/integrations/${publishes}`)).body.guid).toBe(publishes);
    expect(await admin.call('GET', `/v1/oauth/integrations/${nowhere}`)).toMatchObject(refused(404, 4));
  });
});

test('the content itself reads its integration, as get_integrations() of connectapi does', async () => {
  await allow(reads);
  const { own } = await arrived(byKey(viewer.call));
  const [{ oauth_integration_guid: guid }] = (await own('GET', associations())).body;
  expect(await own('GET', `/v1/oauth/integrations/${guid}`)).toMatchObject({
    status: 200,
    body: { guid: reads },
  });
  expect(await own('GET', `/v1/oauth/integrations/${guid}/associations`)).toMatchObject(refused(403, 22));
});

describe('the exchange', () => {
  test('gives the content the same key of a visitor each time, as a form and as JSON', async () => {
    await allow(reads);
    const { token, own } = await arrived(byKey(viewer.call));
    expect((await arrived(byKey(viewer.call))).token).toBe(token);
    const { status, body } = await exchange(own, token, { audience: reads });
    expect({ status, ...body }).toMatchObject({
      status: 200,
      issued_token_type: 'urn:posit:connect:api-key',
      token_type: 'Key',
    });
    expect(body.expires_in).toBeGreaterThan(7190);
    expect(body.expires_in).toBeLessThanOrEqual(10_800);
    const key = (await viewer.call('GET', app.path)).body[1];
    const form = await fetch(`${server.url}/__api__/v1/oauth/integrations/credentials`, {
      method: 'POST',
      headers: { Authorization: `Key ${key}` },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:posit:connect:user-session-token',
        subject_token: token!,
        requested_token_type: 'urn:posit:connect:api-key',
      }),
    });
    expect(await form.json()).toMatchObject({ access_token: body.access_token });
    expect(form.headers.get('cache-control')).toBe('no-store');
    const visitor = caller(() => server.url, body.access_token);
    expect((await visitor('GET', '/v1/user')).body).toMatchObject({ guid: viewer.guid });
    // People do not see it among their keys, and the log has it once.
    expect(JSON.stringify((await viewer.call('GET', `/v1/users/${viewer.guid}/keys`)).body)).not.toContain(
      'visits of',
    );
    const created = `Created API key "visits of gallery" of user ${viewer.guid}, for what a viewer may do`;
    const log = JSON.stringify(
      (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=50')).body.results,
    );
    expect(log.split(JSON.stringify(created).slice(1, -1))).toHaveLength(2);
  });

  test('needs the token of a visit, and a key of who may deploy the content', async () => {
    await allow(reads);
    const { token, own } = await arrived(byKey(viewer.call));
    expect((await exchange(owner.call, token)).status).toBe(200);
    expect(await exchange(viewer.call, token)).toMatchObject(refused(403, 22));
    expect(await exchange(await actingFor(byKey(owner.call)), token)).toMatchObject(refused(403, 22));
    expect(await exchange(server.anonymous, token)).toMatchObject(refused(401, 24));
    const { path } = await publish(owner, APP, {
      metadata: ASGI,
    });
    const other = caller(() => server.url, (await viewer.call('GET', path)).body[1]);
    expect(await exchange(other, token)).toMatchObject(refused(403, 22));
    for (const forged of ['', 'x', `${token}x`, 'e30.e30', token!.replace(/^./, 'x')])
      expect(await exchange(own, forged)).toMatchObject(refused(400, 25));
    expect(await exchange(own, token, { audience: publishes })).toMatchObject(refused(403, 22));
    expect(await exchange(own, token, { grant_type: 'password' })).toMatchObject(refused(400, 25));
  });

  test('nobody brings a token without an account, with a content key, or with a visitor API key', async () => {
    await allow(reads);
    const { own, token } = await arrived(byKey(viewer.call));
    expect(token).toEqual(expect.any(String));
    expect((await arrived(byKey(server.anonymous))).token).toBeNull();
    expect((await arrived(byKey(own))).token).toBeNull();
    expect((await arrived(byKey(await actingFor(byKey(viewer.call))))).token).toBeNull();
  });

  test('refuses a token that has expired', async () => {
    await allow(reads);
    const { own } = await arrived(byKey(viewer.call));
    expect((await exchange(own, await visitToken(server, viewer, app.guid))).status).toBe(200);
    const old = await visitToken(server, viewer, app.guid, 24);
    expect(await exchange(own, old)).toMatchObject(refused(400, 25));
  });
});

describe('what such a key may do', () => {
  test('one that reads: what its visitor may read, and nothing else', async () => {
    await allow(reads);
    const mine = (await owner.call('POST', '/v1/content', { body: { name: 'mine' } })).body.guid;
    await grant(owner, mine, viewer, 'viewer');
    const visitor = await actingFor(byKey(viewer.call));
    expect((await visitor('GET', `/v1/content/${mine}`)).status).toBe(200);
    const byOwner = await actingFor(byKey(owner.call));
    expect((await byOwner('GET', `/v1/content/${mine}`)).body.name).toBe('mine');
    expect(await byOwner('PATCH', `/v1/content/${mine}`, { body: { title: 'Other' } })).toMatchObject({
      status: 403,
      body: { code: 22, error: 'this API key is limited to the role viewer' },
    });
    expect(await byOwner('POST', '/v1/tasks/abc/cancel')).toMatchObject({
      status: 403,
      body: { code: 22, error: 'this visitor API key only reads' },
    });
    // Other applications do what they are asked to in the name of the visitor.
    expect((await byOwner('GET', app.path)).status).toBe(200);
    expect(await byOwner('POST', app.path)).toMatchObject({
      status: 403,
      body: { code: 22, error: 'this visitor API key only reads' },
    });
    const socket = await ask(server.url, app.path.slice(1), {
      authorization: `Key ${await keyFrom(byKey(owner.call))}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    });
    expect(socket.status).toBe(403);
    // An administrator reads as a viewer: content of others is not listed.
    const hidden = await (await actingFor(byKey(admin.call)))('GET', `/v1/content/${mine}`);
    expect(hidden).toMatchObject(refused(403, 19));
  });

  test('one of a publisher: what a publisher may, and the log says by which content', async () => {
    await allow(publishes);
    const visitor = await actingFor(byKey(owner.call));
    const { status, body } = await visitor('POST', '/v1/content', { body: { name: 'by-visitor' } });
    expect(status).toBe(200);
    expect((await visitor('PATCH', `/v1/content/${body.guid}`, { body: { title: 'Titled' } })).status).toBe(
      200,
    );
    const log = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=3')).body.results;
    expect(log[0].event_description).toContain(`, by content ${app.guid} that they visited`);
    for (const changes of [{ access_type: 'all' }, { owner_guid: admin.guid }])
      expect(await visitor('PATCH', `/v1/content/${body.guid}`, { body: changes })).toMatchObject(
        refused(403, 22),
      );
    // Whoever wrote the application may be among those who approve.
    await owner.call('PUT', `/v1/content/${body.guid}/approval-rule`, { body: { approvals: 1 } });
    const raw = makeArchive({ 'index.html': 'x' });
    const { id } = (await visitor('POST', `/v1/content/${body.guid}/bundles`, { raw })).body;
    expect(
      await visitor('POST', `/v1/content/${body.guid}/deploy`, { body: { bundle_id: id } }),
    ).toMatchObject({ status: 403, body: { payload: { needed: 2 } } });
    // A viewer stays one, and an administrator is a publisher.
    const made = await (
      await actingFor(byKey(viewer.call))
    )('POST', '/v1/content', { body: { name: 'never' } });
    expect(made).toMatchObject(refused(403, 22));
    const asAdmin = await (await actingFor(byKey(admin.call)))('GET', '/v1/oauth/integrations');
    expect(asAdmin.status).toBe(200);
    expect(
      await (
        await actingFor(byKey(admin.call))
      )('GET', `/v1/oauth/integrations/${reads}/associations`),
    ).toMatchObject(refused(403, 22));
  });

  /** By content that serves files, of which only the server knows tokens. */
  async function keyFor(person: Person, integration: string): Promise<Call> {
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: `of-${person.username}` } }))
      .body;
    await allow(integration, admin, guid);
    const { body } = await exchange(owner.call, await visitToken(server, person, guid));
    return caller(() => server.url, body.access_token);
  }
  let byAdmin: Call;
  let reader: Call;
  beforeAll(async () => {
    byAdmin = await keyFor(admin, publishes);
    reader = await keyFor(owner, reads);
  });

  test.each(keyed.map((operation) => [operation.operationId, operation] as const))(
    '%s: is refused if it changes rights or credentials, and for a key that reads if it changes anything',
    async (id, operation) => {
      const path = operation.path.replace(/\{\w*guid\}/g, app.guid).replace(/\{(id|key)\}/g, '1');
      const body = typeof operation.body === 'object' ? { body: {} } : {};
      const { error = '' } = (await byAdmin(operation.method, path, body)).body ?? {};
      expect(error.startsWith('not with a visitor API key')).toBe(NEVER.includes(id));
      if (NEVER.includes(id) || operation.method !== 'GET')
        expect(await reader(operation.method, path, body)).toMatchObject(refused(403, 22));
    },
  );
});

describe('its end', () => {
  test('with the session of the visitor, but not with their other sessions', async () => {
    await allow(reads);
    const [first, second] = [await signedIn(viewer), await signedIn(viewer)];
    const [inFirst, inSecond] = [await actingFor(first.visit), await actingFor(second.visit)];
    const { token, own } = await arrived(first.visit);
    expect((await inFirst('GET', '/v1/user')).status).toBe(200);
    expect((await first.signOut()).status).toBe(200);
    expect(await inFirst('GET', '/v1/user')).toMatchObject(refused(401, 24));
    expect(await exchange(own, token)).toMatchObject(refused(400, 25));
    expect((await inSecond('GET', '/v1/user')).status).toBe(200);
  });

  test('with a session that was not used for too long', async () => {
    let ahead = 0;
    await using other = await startTestServer({
      clock: { now: () => Date.now() * 1000 + ahead },
      settings: { 'Applications.VisitorKeys': 'viewer', 'Authentication.SessionIdleTimeout': 3600 },
    });
    const boss = await other.administrator();
    const person = await other.person('viewer', { password: 'correct horse' });
    const { guid } = (await boss.call('POST', '/v1/content', { body: { name: 'idle' } })).body;
    await allow(reads, boss, guid);
    const { 'pressroom-session': session } = await signIn(other.url, person);
    const token = await visitToken(other, person, guid, 0, session);
    const { status, body } = await exchange(boss.call, token);
    expect(status).toBe(200);
    const visitor = caller(() => other.url, body.access_token);
    expect((await visitor('GET', '/v1/user')).status).toBe(200);
    ahead = 3601 * 1_000_000;
    expect(await visitor('GET', '/v1/user')).toMatchObject(refused(401, 24));
    expect(await exchange(boss.call, token)).toMatchObject(refused(400, 25));
  });

  test('with the API key that the visitor came with, whose role it keeps', async () => {
    await allow(publishes);
    const path = `/v1/users/${owner.guid}/keys`;
    const { id, key } = (await owner.call('POST', path, { body: { name: 'reader', role: 'viewer' } })).body;
    const visitor = await actingFor(byKey(caller(() => server.url, key)));
    expect(await visitor('POST', '/v1/content', { body: { name: 'x-1' } })).toMatchObject(refused(403, 22));
    expect((await visitor('GET', '/v1/user')).status).toBe(200);
    await owner.call('DELETE', `${path}/${id}`);
    expect(await visitor('GET', '/v1/user')).toMatchObject(refused(401, 24));
  });

  test('when the content is not allowed any more, or less', async () => {
    await allow(publishes);
    const visitor = await actingFor(byKey(owner.call));
    const { token, own } = await arrived(byKey(viewer.call));
    await allow(reads);
    expect(await visitor('GET', '/v1/user')).toMatchObject(refused(401, 24));
    // The visitor brings another token, so that no application goes on with a client whose key has ended.
    expect(await exchange(own, token)).toMatchObject(refused(400, 25));
    const now = (await arrived(byKey(viewer.call))).token;
    expect((await exchange(own, now)).status).toBe(200);
    const reader = await actingFor(byKey(owner.call));
    await allow(null);
    expect(await reader('GET', '/v1/user')).toMatchObject(refused(401, 24));
    expect(await exchange(own, now)).toMatchObject(refused(403, 22));
    expect((await arrived(byKey(viewer.call))).token).toBeNull();
    expect((await viewer.call('GET', associations())).body).toEqual([]);
  });

  test('while the visitor is locked', async () => {
    await allow(reads);
    const person = await server.person('viewer');
    const visitor = await actingFor(byKey(person.call));
    const { token, own } = await arrived(byKey(person.call));
    await admin.call('POST', `/v1/users/${person.guid}/lock`, { body: { locked: true } });
    expect((await visitor('GET', '/v1/user')).body).toMatchObject({ code: 50 });
    expect((await exchange(own, token)).body).toMatchObject({ code: 50 });
  });

  test('when the content is deleted', async () => {
    const { guid, path } = await publish(owner, APP, { metadata: ASGI });
    await allow(reads, admin, guid);
    const [token, key] = (await viewer.call('GET', path)).body;
    const { body } = await exchange(
      caller(() => server.url, key),
      token,
    );
    const visitor = caller(() => server.url, body.access_token);
    expect((await visitor('GET', '/v1/user')).status).toBe(200);
    expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
    expect(await visitor('GET', '/v1/user')).toMatchObject(refused(401, 24));
  });
});

test('a server that does not allow it offers nothing, sends no token, and refuses the exchange', async () => {
  await using off = await startTestServer({ own: true });
  const person = await off.administrator();
  expect((await person.call('GET', '/v1/oauth/integrations')).body).toEqual([]);
  const { guid } = (await person.call('POST', '/v1/content', { body: { name: 'plain' } })).body;
  expect(await allow(reads, person, guid)).toMatchObject(refused(400, 25));
});
