// Covers sign-in of programs through a browser (RFC 8628): the program's responses, and the person's decision.
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { startTestDatabase, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const MICROS = 1_000_000;
let time = Date.parse('2026-11-21T10:00:00Z') * 1000;
const clock = { now: () => (time += 1) };
const pass = (seconds: number) => (time += seconds * MICROS);
const waits: number[] = [];
/** What a delayed attempt waits for instead of time. */
let delayed = () => Promise.resolve();

let server: TestServer;
let viewer: Person;
beforeAll(async () => {
  const pause = (ms: number) => {
    waits.push(ms);
    return delayed();
  };
  server = await startTestServer({ clock, pause });
  viewer = await server.person('viewer');
});
afterAll(() => server[Symbol.asyncDispose]());

const begin = async (client_name = 'Pressroom for tests on host-x', at = server) =>
  (await at.anonymous('POST', '/v1/device_sign_in', { body: { client_name } })).body;
const poll = (device_code: string, at = server) =>
  at.anonymous('POST', '/v1/device_sign_in/token', { body: { device_code } });
const told = (error: string) => ({ status: 400, body: { code: 25, error, payload: null } });

/** A signed-in browser, without rendering. */
async function browse({ username }: Person, at = server) {
  const body = { username, password: 'correct horse' };
  const set = (await at.anonymous('POST', '//__login__', { body })).headers.getSetCookie();
  const cookie = set.map((one) => one.split(';')[0]).join('; ');
  const xsrf = /RSC-XSRF=([^;]+)/.exec(cookie)![1]!;
  const post = (form: Record<string, string>) =>
    at.anonymous('POST', '//__dashboard__/device', {
      raw: new URLSearchParams(form).toString(),
      headers: { cookie },
    });
  return {
    look: async (code: string) => {
      const path = `//__dashboard__/device?code=${encodeURIComponent(code)}`;
      return (await at.anonymous('GET', path, { headers: { cookie } })).bytes.toString();
    },
    decide: (code: string, decision: string) => post({ code, decision, xsrf }),
    post,
  };
}

describe('Device sign-in of a program', () => {
  test('returns the codes, the page and the interval; server settings report the feature', async () => {
    const begun = await begin();
    expect(begun).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${server.url}/__dashboard__/device`,
      verification_uri_complete: `${server.url}/__dashboard__/device?code=${begun.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect((await server.anonymous('GET', '/server_settings')).body.device_sign_in).toBe(true);
  });

  test('rejects requests of other sites from a browser', async () => {
    const body = { client_name: 'a page' };
    const asked = (site: string) =>
      server.anonymous('POST', '/v1/device_sign_in', { body, headers: { 'sec-fetch-site': site } });
    expect(await asked('cross-site')).toMatchObject({ status: 403, body: { code: 92 } });
    expect(await asked('same-origin')).toMatchObject({ status: 200 });
  });

  test('the program gets one revocable, audited key of the person who allowed it', async () => {
    const { device_code, user_code } = await begin('Pressroom for VS Code on host-x');
    expect(await poll(device_code)).toMatchObject(told('authorization_pending'));
    const tab = await browse(viewer);
    expect((await tab.decide(user_code, 'allowed')).status).toBe(303);
    const { status, body } = await poll(device_code);
    expect([status, body.user_guid, body.name]).toEqual([
      200,
      viewer.guid,
      'Pressroom for VS Code on host-x, 2026-11-21',
    ]);
    const headers = { Authorization: `Key ${body.key}` };
    const use = () => server.anonymous('GET', '/v1/user', { headers });
    expect((await use()).body).toMatchObject({ guid: viewer.guid, user_role: 'viewer' });
    expect(await poll(device_code)).toMatchObject(told('expired_token'));
    const listed = await viewer.call('GET', `/v1/users/${viewer.guid}/keys`);
    expect(listed.body.map((key: { name: string }) => key.name)).toContain(body.name);
    const log = (await (await server.administrator()).call('GET', '/v1/audit_logs?limit=500')).body.results;
    expect(log.map((entry: { action: string; user_id: string }) => [entry.action, entry.user_id])).toEqual(
      expect.arrayContaining([
        ['allow_device', viewer.guid],
        ['add_api_key', viewer.guid],
      ]),
    );
    expect(JSON.stringify(log)).not.toContain(body.key);
    expect((await viewer.call('DELETE', `/v1/users/${viewer.guid}/keys/${body.id}`)).status).toBe(204);
    expect((await use()).status).toBe(401);
  });

  test('slows down early polls by five more seconds each, and still succeeds', async () => {
    const { device_code, user_code } = await begin();
    expect(await poll(device_code)).toMatchObject(told('authorization_pending'));
    pass(4);
    expect(await poll(device_code)).toMatchObject(told('slow_down'));
    pass(5);
    expect(await poll(device_code)).toMatchObject(told('slow_down'));
    pass(15);
    expect(await poll(device_code)).toMatchObject(told('authorization_pending'));
    await (await browse(viewer)).decide(user_code, 'allowed');
    expect((await poll(device_code)).status).toBe(200);
  });

  test('expires after ten minutes, even when already allowed', async () => {
    const [late, allowed] = [await begin(), await begin()];
    const tab = await browse(viewer);
    await tab.decide(allowed.user_code, 'allowed');
    pass(599);
    expect(await poll(late.device_code)).toMatchObject(told('authorization_pending'));
    pass(1);
    expect(await poll(late.device_code)).toMatchObject(told('expired_token'));
    expect(await poll(allowed.device_code)).toMatchObject(told('expired_token'));
    expect(await tab.look(late.user_code)).toContain('This code is invalid or has expired');
  });

  test('a denied request stays denied', async () => {
    const { device_code, user_code } = await begin();
    const tab = await browse(viewer);
    expect((await tab.decide(user_code, 'denied')).status).toBe(303);
    for (let i = 0; i < 2; i += 1) expect(await poll(device_code)).toMatchObject(told('access_denied'));
    expect((await tab.decide(user_code, 'allowed')).status).toBe(401);
    expect(await poll(device_code)).toMatchObject(told('access_denied'));
  });

  test('a user who was locked meanwhile grants no key', async () => {
    const locked = await server.person('publisher');
    const { device_code, user_code } = await begin();
    await (await browse(locked)).decide(user_code, 'allowed');
    const admin = await server.administrator();
    await admin.call('POST', `/v1/users/${locked.guid}/lock`, { body: { locked: true } });
    expect(await poll(device_code)).toMatchObject(told('access_denied'));
    expect((await admin.call('GET', `/v1/users/${locked.guid}/keys`)).body).toHaveLength(1);
  });

  test('twenty simultaneous polls get exactly one key', async () => {
    const { device_code, user_code } = await begin('Racer');
    await (await browse(viewer)).decide(user_code, 'allowed');
    const responses = await Promise.all(Array.from({ length: 20 }, () => poll(device_code)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.error === 'expired_token')).toHaveLength(19);
    const keys = (await viewer.call('GET', `/v1/users/${viewer.guid}/keys`)).body;
    expect(keys.filter((key: { name: string }) => key.name.startsWith('Racer'))).toHaveLength(1);
  });

  test.each([
    ['blank', ' \n '],
    ['invisible', '\u202e\u200b\u2066'],
    ['too long', 'a'.repeat(256)],
    ['not text', 7],
  ])('rejects a client name that is %s', async (_what, name) => {
    expect(
      await server.anonymous('POST', '/v1/device_sign_in', { body: { client_name: name } }),
    ).toMatchObject({ status: 400, body: { payload: null } });
  });

  test.each(['', 'x', '../../', "' or 1=1 --", 'a'.repeat(255)])(
    'returns expired_token for the code %j',
    async (code) => {
      expect(await poll(code)).toMatchObject(told('expired_token'));
    },
  );
});

describe('Confirmation page of device sign-in', () => {
  test('shows the escaped client name on one line, and opening it decides nothing', async () => {
    const { device_code, user_code } = await begin(
      '<b>Mallory</b>\u202e\r\nEvil\u0007 a\u0301\u0301\u0301\u0301\u0301',
    );
    const page = await (await browse(viewer)).look(user_code.toLowerCase().replace('-', ' '));
    expect(page).toContain('&lt;b&gt;Mallory&lt;/b&gt; Evil \u00e1\u0301\u0301</dd>');
    expect(page).toContain(user_code);
    expect(page).toContain('127.0.0.1');
    expect(page).toContain(viewer.username);
    expect(await poll(device_code)).toMatchObject(told('authorization_pending'));
  });

  test('sends signed-out visitors to sign in, and back', async () => {
    const { user_code } = await begin();
    const response = await server.anonymous('GET', `//__dashboard__/device?code=${user_code}`);
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `/__login__?next=${encodeURIComponent(`/__dashboard__/device?code=${user_code}`)}`,
    ]);
    const form = {
      username: viewer.username,
      password: 'correct horse',
      next: `/__dashboard__/device?code=${user_code}`,
    };
    const raw = new URLSearchParams(form).toString();
    const back = await server.anonymous('POST', '//__login__', { raw });
    expect(back.headers.get('location')).toBe(form.next);
  });

  test('accepts no decision without the session’s token, from a key, or of unknown kind', async () => {
    const { device_code, user_code } = await begin();
    const tab = await browse(viewer);
    expect((await tab.post({ code: user_code, decision: 'allowed' })).status).toBe(403);
    const raw = new URLSearchParams({ code: user_code, decision: 'allowed' }).toString();
    expect((await viewer.call('POST', '//__dashboard__/device', { raw })).status).toBe(303);
    expect((await tab.decide(user_code, 'perhaps')).status).toBe(400);
    expect(await poll(device_code)).toMatchObject(told('authorization_pending'));
  });

  test('delays repeated guesses of codes longer and longer', async () => {
    const guesser = await browse(await server.person('viewer'));
    waits.length = 0;
    for (let i = 0; i < 7; i += 1) await guesser.look(`BCDF-GHJ${'KLMNPQR'[i]}`);
    expect(waits).toEqual([1000, 2000, 4000]);
    const { user_code } = await begin();
    expect(await (await browse(viewer)).look(user_code)).toContain('Allow');
    expect(waits).toHaveLength(3);
  });

  test('a decision that wrong guesses had delayed gives no key once its session has ended', async () => {
    const owner = await server.person('publisher');
    const thief = await browse(owner);
    for (let i = 0; i < 4; i += 1) await thief.look(`BCDF-GHJ${'KLMN'[i]}`);
    const { user_code, device_code } = await begin();
    const [waits, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    delayed = () => (waits.resolve(), ends.promise);
    const decision = thief.decide(user_code, 'allowed');
    await waits.promise;
    delayed = () => Promise.resolve();
    const path = `/v1/users/${owner.guid}/sessions`;
    for (const { id } of (await owner.call('GET', path)).body)
      expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(204);
    ends.resolve();
    expect((await decision).headers.get('location')).toContain('/__login__');
    expect(await poll(device_code)).toMatchObject(told('authorization_pending'));
    expect((await owner.call('GET', `/v1/users/${owner.guid}/keys`)).body).toHaveLength(1);
  });

  test.each([
    [
      'that was allowed in a session which its owner ended',
      async ({ call, guid }: Person) => {
        const path = `/v1/users/${guid}/sessions`;
        for (const { id } of (await call('GET', path)).body) await call('DELETE', `${path}/${id}`);
      },
    ],
    [
      'that was allowed before the password was set anew',
      async ({ guid }: Person) => {
        const administrator = await server.administrator();
        const { url } = (await administrator.call('POST', `/v1/users/${guid}/password_link`)).body;
        const body = { token: new URL(url).searchParams.get('token'), password: 'battery staple' };
        expect((await server.anonymous('PUT', '/v1/password_reset', { body })).status).toBe(204);
      },
    ],
  ])('a program %s gets no key', async (_what, end) => {
    const owner = await server.person('publisher');
    const { user_code, device_code } = await begin();
    expect((await (await browse(owner)).decide(user_code, 'allowed')).status).toBe(303);
    await end(owner);
    expect(await poll(device_code)).toMatchObject(told('access_denied'));
    expect((await owner.call('GET', `/v1/users/${owner.guid}/keys`)).body).toHaveLength(1);
  });

  test('has a field for the code, and leaks no session token', async () => {
    const page = await (await browse(viewer)).look('');
    expect(page).toContain('Code');
    const [form] = /<form action[^]*?<\/form>/.exec(page)!;
    expect(form).not.toContain('xsrf');
  });
});

describe('Backup for a program', () => {
  const ask = async ({ call }: Person) =>
    (await call('POST', '/v1/backups', { body: { client_name: 'pressroom on host-x' } })).body;
  const fetchIt = ({ call }: Person, device_code: string) =>
    call('POST', '/v1/backups/download', { body: { device_code } });
  const actionsOf = async ({ call }: Person) =>
    (await call('GET', '/v1/audit_logs?limit=500')).body.results.map(
      (entry: { action: string; event_description: string }) => `${entry.action}: ${entry.event_description}`,
    );

  test('is delivered once after the administrator confirms it in the browser; both are audited', async () => {
    const admin = await server.person('administrator');
    const { device_code, user_code } = await ask(admin);
    expect(await fetchIt(admin, device_code)).toMatchObject(told('authorization_pending'));
    const tab = await browse(admin);
    expect(await tab.look(user_code)).toContain('Download a backup?');
    expect((await tab.decide(user_code, 'allowed')).status).toBe(303);
    const sent = await fetchIt(admin, device_code);
    expect([sent.status, sent.headers.get('content-type'), sent.headers.get('cache-control')]).toEqual([
      200,
      'application/x-tar',
      'no-store',
    ]);
    expect(Number(sent.headers.get('content-length'))).toBe(sent.bytes.length);
    expect(sent.bytes.toString('latin1')).toContain('backup.json');
    expect(await fetchIt(admin, device_code)).toMatchObject(told('expired_token'));
    expect(await actionsOf(admin)).toEqual(
      expect.arrayContaining([
        expect.stringContaining(
          'allow_device: Allowed "pressroom on host-x" (asked from 127.0.0.1) to download',
        ),
        expect.stringMatching(/^download_backup: Downloaded a backup of \d+ bytes/),
      ]),
    );
    const left = async () => (await readdir(server.dataDir)).filter((name) => name.startsWith('backup-'));
    await expect.poll(left).toEqual([]);
  });

  test('requires a confirmation in a session younger than ten minutes', async () => {
    const admin = await server.person('administrator');
    const old = await browse(admin);
    pass(301);
    const { device_code, user_code } = await ask(admin);
    pass(300);
    expect(await old.look(user_code)).toContain('Sign in again');
    expect((await old.decide(user_code, 'allowed')).status).toBe(403);
    const raw = new URLSearchParams({ code: user_code, decision: 'allowed' }).toString();
    expect((await admin.call('POST', '//__dashboard__/device', { raw })).status).toBe(303);
    expect(await fetchIt(admin, device_code)).toMatchObject(told('authorization_pending'));
    expect((await (await browse(admin)).decide(user_code, 'denied')).status).toBe(303);
    expect(await fetchIt(admin, device_code)).toMatchObject(told('access_denied'));
  });

  test('only the requesting administrator confirms and fetches it, within two minutes', async () => {
    const [admin, other] = [await server.person('administrator'), await server.person('administrator')];
    const { device_code, user_code } = await ask(admin);
    const others = await browse(other);
    expect(await others.look(user_code)).toContain('whose API key asked for it');
    expect((await others.decide(user_code, 'allowed')).status).toBe(403);
    await (await browse(admin)).decide(user_code, 'allowed');
    expect(await fetchIt(other, device_code)).toMatchObject(told('expired_token'));
    pass(121);
    expect(await fetchIt(admin, device_code)).toMatchObject(told('expired_token'));
  });

  test('is rejected with its size if it would use the disk reserve, and leaves nothing', async () => {
    await using full = await startTestServer({ clock, settings: { 'Applications.DiskReserve': 2 ** 60 } });
    const admin = await full.person('administrator');
    const { device_code, user_code } = await ask(admin);
    await (await browse(admin, full)).decide(user_code, 'allowed');
    expect(await fetchIt(admin, device_code)).toMatchObject({
      status: 400,
      body: { code: 134, error: expect.stringMatching(/it takes \d+ MiB more, .*DiskReserve/) },
    });
    expect((await readdir(full.dataDir)).filter((name) => name.startsWith('backup-'))).toEqual([]);
  });

  test('codes for sign-in and for backup are not interchangeable', async () => {
    const admin = await server.person('administrator');
    const [backup, signIn] = [await ask(admin), await begin()];
    const tab = await browse(admin);
    await tab.decide(backup.user_code, 'allowed');
    await tab.decide(signIn.user_code, 'allowed');
    expect(await poll(backup.device_code)).toMatchObject(told('expired_token'));
    expect(await fetchIt(admin, signIn.device_code)).toMatchObject(told('expired_token'));
    expect((await poll(signIn.device_code)).status).toBe(200);
    expect((await fetchIt(admin, backup.device_code)).status).toBe(200);
  });
});

test('one address has at most fifty pending requests, which expire after ten minutes', async () => {
  await using own = await startTestServer({ clock });
  for (let i = 0; i < 50; i += 1) expect((await begin('One of many', own)).device_code).toBeDefined();
  expect(await begin('One too many', own)).toMatchObject({ code: 25 });
  pass(601);
  expect((await begin('Later', own)).device_code).toBeDefined();
});

test('a request started on one server is allowed on another, for one key', async () => {
  await using database = await startTestDatabase();
  const settings = { 'Database.URL': database.url, 'Secrets.Key': randomBytes(32).toString('base64') };
  await using here = await startTestServer({ settings });
  await using there = await startTestServer({ settings });
  const admin = await here.administrator();
  const { device_code, user_code } = await begin('Two servers', here);
  expect((await (await browse(admin, there)).decide(user_code, 'allowed')).status).toBe(303);
  const responses = await Promise.all([poll(device_code, here), poll(device_code, there)]);
  expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400]);
});
