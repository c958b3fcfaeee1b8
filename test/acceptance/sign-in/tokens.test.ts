// Covers tokens, with which programs sign in with a key pair as `connectUser()` of rsconnect for R does: registered, claimed
// in the browser, used, expired and revoked. On each engine.
import { randomBytes } from 'node:crypto';
import { makeArchive, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse, claimed, newProgram, register, unsigned, type Forgery, type Program } from './signing.ts';

const MICROS = 1_000_000;
let time = Date.parse('2026-11-21T10:00:00Z') * 1000;
const clock = { now: () => (time += 1) };
const now = () => Math.floor(time / 1000);
const pass = (seconds: number) => (time += seconds * MICROS);

let server: TestServer;
let publisher: Person;
let program: Program;
beforeAll(async () => {
  server = await startTestServer({ clock });
  publisher = await server.person('publisher');
  program = await claimed(server, publisher, now);
});
afterAll(() => server[Symbol.asyncDispose]());

const me = (who: Program, forgery?: Forgery) => who.send('GET', '/users/current', undefined, forgery);
const refused = { status: 401, body: { code: 24, payload: null } };
async function entries(person: Person): Promise<string[]> {
  const admin = await server.administrator();
  const { results } = (await admin.call('GET', '/v1/audit_logs?limit=500&ascOrder=false')).body;
  return results
    .filter((entry: { user_id: string }) => entry.user_id === person.guid)
    .map(
      (entry: { action: string; event_description: string }) => `${entry.action}: ${entry.event_description}`,
    );
}

describe('Signed requests of a program', () => {
  test('registers its key, gets 500 until claimed, then acts as that person', async () => {
    const fresh = newProgram(server, now);
    const registered = await register(server, fresh);
    expect([registered.status, registered.body]).toEqual([
      200,
      { token_claim_url: `${server.url}/__dashboard__/token?token=${fresh.token}` },
    ]);
    // Releases of rsconnect up to 1.3 wait for this response, and later ones, too.
    expect(await me(fresh)).toMatchObject({ status: 500, body: { error: 'the token is not claimed yet' } });
    expect((await (await browse(server, publisher)).decide(fresh.token, 'allowed')).status).toBe(303);
    expect((await me(fresh)).body).toMatchObject({ guid: publisher.guid, username: publisher.username });
  });

  test('creates, uploads and deploys content, and polls with an unsigned query', async () => {
    const { guid } = (await program.send('POST', '/v1/content', { name: 'signed-by-r' })).body;
    const manifest = { version: 1, metadata: { appmode: 'static', primary_html: 'index.html' }, files: {} };
    const archive = makeArchive({ 'manifest.json': JSON.stringify(manifest), 'index.html': 'signed' });
    const bundle = await program.send('POST', `/v1/content/${guid}/bundles`, archive);
    expect(bundle.status).toBe(200);
    const bundle_id = bundle.body.id;
    const { task_id } = (await program.send('POST', `/v1/content/${guid}/deploy`, { bundle_id })).body;
    const task = await program.send('GET', `/v1/tasks/${task_id}?first=0&wait=20`);
    expect(task.body).toMatchObject({ finished: true, code: 0 });
    expect((await program.send('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  });

  test('opens content that its person may see, and no other', async () => {
    const stranger = await server.person('publisher');
    const files = { 'index.html': 'private', 'data.txt': 'data' };
    const open = async (owner: Person, forgery: Forgery = {}) => {
      const { path } = await publish(owner, files, { fields: { access_type: 'acl' } });
      const signed = `${path.slice(1)}data.txt`;
      return program.send('GET', `${path}data.txt`, undefined, { path: signed, ...forgery });
    };
    const mine = await open(publisher);
    expect([mine.status, mine.bytes.toString()]).toEqual([200, 'data']);
    expect((await open(stranger)).status).toBe(403);
    expect((await open(publisher, { path: '/content/other/data.txt' })).status).toBe(401);
    expect((await open(publisher, { method: 'POST' })).status).toBe(401);
    expect((await open(publisher, { date: new Date(now() - 600_000).toUTCString() })).status).toBe(401);
  });

  test('is listed among the person’s keys and revocable; claiming again is error 84', async () => {
    const gone = await claimed(server, publisher, now);
    const keys = (await publisher.call('GET', `/v1/users/${publisher.guid}/keys`)).body;
    const { id, name, role } = keys.at(-1);
    expect([name, role]).toEqual(['RSConnect/1.8.0, 2026-11-21', null]);
    const page = await (await browse(server, publisher)).look(gone.token);
    expect([page.status, page.bytes.toString()]).toEqual([
      403,
      expect.stringContaining('Token already claimed'),
    ]);
    expect((await publisher.call('DELETE', `/v1/users/${publisher.guid}/keys/${id}`)).status).toBe(204);
    expect(await me(gone)).toMatchObject(refused);
  });

  test('audits that the token was allowed, used and revoked, but not its value', async () => {
    const own = await server.person('publisher');
    const noted = await claimed(server, own, now);
    await me(noted);
    const { id } = (await own.call('GET', `/v1/users/${own.guid}/keys`)).body.at(-1);
    await own.call('DELETE', `/v1/users/${own.guid}/keys/${id}`);
    const log = (await entries(own)).join('\n');
    expect(log).toMatch(
      /allow_device: Allowed "RSConnect\/1\.8\.0" \(asked from 127\.0\.0\.1, key SHA256:[\w+/]{43}\)/,
    );
    expect(log).toMatch(
      /add_api_key: Created API key "RSConnect\/1\.8\.0, [^"]+" \(\d+\) of user .*, for signed requests/,
    );
    expect(log).toContain('remove_api_key: Revoked API key "RSConnect/1.8.0');
    expect(log).not.toContain(noted.token);
  });

  test('follows changes of the person’s role', async () => {
    const changing = await server.person('publisher');
    const their = await claimed(server, changing, now);
    const make = () =>
      their.send('POST', '/v1/content', { name: `by-role-${randomBytes(4).toString('hex')}` });
    expect((await make()).status).toBe(200);
    const admin = await server.administrator();
    await admin.call('PUT', `/v1/users/${changing.guid}`, { body: { user_role: 'viewer' } });
    expect(await make()).toMatchObject({ status: 403, body: { code: 22 } });
    await admin.call('POST', `/v1/users/${changing.guid}/lock`, { body: { locked: true } });
    expect(await me(their)).toMatchObject({ status: 403, body: { code: 50 } });
  });

  test('a denied token gets 403, which ends the polling', async () => {
    const unwanted = newProgram(server, now);
    await register(server, unwanted);
    const tab = await browse(server, publisher);
    expect((await tab.decide(unwanted.token, 'denied')).status).toBe(303);
    expect(await me(unwanted)).toMatchObject({
      status: 403,
      body: { code: 22, error: 'the token was denied' },
    });
    expect((await tab.decide(unwanted.token, 'allowed')).status).toBe(401);
    expect((await entries(publisher)).join('\n')).toContain('deny_device: Denied "RSConnect/1.8.0"');
  });

  test('expires after one hour with code 29, and is deleted an hour later', async () => {
    const late = newProgram(server, now);
    await register(server, late);
    pass(3599);
    expect((await me(late)).status).toBe(500);
    pass(2);
    const tab = await browse(server, publisher);
    expect(await me(late)).toMatchObject({ status: 401, body: { code: 29 } });
    expect((await tab.look(late.token)).bytes.toString()).toContain('claimed within one hour');
    expect((await tab.decide(late.token, 'allowed')).status).toBe(401);
    expect(await me(late)).toMatchObject({ status: 401, body: { code: 29 } });
    pass(3600);
    await register(server, unsigned());
    expect(await me(late)).toMatchObject(refused);
  });

  test('an API key in the same request takes precedence', async () => {
    const admin = await server.administrator();
    const headers = { Authorization: `Key ${admin.key}` };
    expect((await me(program, { headers })).body.guid).toBe(admin.guid);
    expect(await me(program, { headers: { Authorization: `Key ${program.token}` } })).toMatchObject(refused);
    expect(await me(program, { headers: { Authorization: `Key token ${program.token}` } })).toMatchObject(
      refused,
    );
  });

  test('accepts anonymous-access for public operations, and rejects unknown tokens', async () => {
    const headers = { 'X-Auth-Token': 'anonymous-access' };
    expect((await server.anonymous('GET', '/server_settings', { headers })).status).toBe(200);
    expect(await program.send('GET', '/server_settings', undefined, { token: 'T'.repeat(33) })).toMatchObject(
      refused,
    );
  });
});

test('rejects a known key or name with code 85, claimed or not', async () => {
  const waiting = unsigned();
  await register(server, waiting);
  for (const known of [waiting, program]) {
    const other = unsigned();
    const taken = { status: 400, body: { code: 85, error: 'Token with same key exists' } };
    expect(await register(server, known)).toMatchObject(taken);
    expect(await register(server, { ...other, publicKey: known.publicKey })).toMatchObject(taken);
    expect(await register(server, { ...other, token: known.token })).toMatchObject(taken);
  }
});

test('of two people who claim a token at once, one gets it', async () => {
  const fresh = unsigned();
  await register(server, fresh);
  const tabs = await Promise.all(
    [publisher, await server.person('viewer')].map((who) => browse(server, who)),
  );
  const responses = await Promise.all(tabs.map((tab) => tab.decide(fresh.token, 'allowed')));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 403]);
});

test('a token used from a new network is audited like a key', async () => {
  await using own = await startTestServer({ settings: { 'HTTP.TrustProxy': '127.0.0.1' } });
  const admin = await own.administrator();
  const theirs = await claimed(own, admin);
  for (const address of ['192.0.2.1', '192.0.2.1', '198.51.100.7'])
    expect((await me(theirs, { headers: { 'x-forwarded-for': address } })).status).toBe(200);
  const { results } = (await admin.call('GET', '/v1/audit_logs?limit=500')).body;
  const uses = results.filter((entry: { action: string }) => entry.action === 'use_api_key');
  expect(uses.map((entry: { event_description: string }) => entry.event_description)).toEqual([
    expect.stringMatching(
      /^API key "RSConnect\/1\.8\.0, .*" \(\d+\) was used from 198\.51\.100\.7, for the first time$/,
    ),
  ]);
});

test('deleting a person deletes their tokens', async () => {
  await using own = await startTestServer({ settings: {} });
  const gone = await own.person('publisher');
  const theirs = await claimed(own, gone);
  expect((await me(theirs)).status).toBe(200);
  const { storage, authenticator } = own.running.services;
  await storage.write((tx) => tx.deleteFrom('user_account').where('guid', '=', gone.guid).execute());
  authenticator.forget(gone.guid);
  expect(await me(theirs)).toMatchObject(refused);
  expect(
    await storage.db.selectFrom('api_key').select('id').where('user_guid', '=', gone.guid).execute(),
  ).toEqual([]);
});

test('one address has at most 200 unclaimed tokens, which expire after two hours', async () => {
  await using own = await startTestServer({ clock });
  const one = () => register(own, unsigned());
  for (let i = 0; i < 200; i += 1) expect((await one()).status).toBe(200);
  expect(await one()).toMatchObject({ status: 400, body: { code: 25 } });
  pass(7201);
  expect((await one()).status).toBe(200);
});
