// Covers the second factor by an authenticator app (M4): setup, sign-in, codes that work once, and recovery codes.
import {
  createBrowser,
  refused,
  startTestServer,
  totpCode,
  type Browser,
  type Page,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { userOf } from '../../../packages/server/src/people/store.ts';
import { checkCode } from '../../../packages/server/src/sign-in/second-factors/commands.ts';

const PASSWORD = 'correct horse';
const STEP = 30_000_000;
let now = Date.UTC(2030, 0, 1) * 1000;
const waits: number[] = [];

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({
    clock: { now: () => (now += 1) },
    pause: async (ms) => void waits.push(ms),
  });
  admin = await server.administrator();
});
afterAll(() => server[Symbol.asyncDispose]());

const codeOf = (secret: string, steps = 0) => totpCode(secret, (now + steps * STEP) / 1000);
const later = (steps = 2) => (now += steps * STEP);
const hiddenIn = (page: Page, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1];
const codesIn = (page: Page) => page.text.match(/[a-z2-7]{4}(-[a-z2-7]{4}){5}/g) ?? [];
const alertIn = (page: Page) => /role="alert"[^>]*>([^<]*)</.exec(page.text)?.[1];
const enter = (browser: Browser, username: string, at = server) =>
  browser.submit(`${at.url}/__login__`, { username, password: PASSWORD, next: '/__dashboard__/keys' });
const status = async (browser: Browser, at = server) =>
  (await browser.get(`${at.url}/__api__/v1/user`)).status;
const post = (browser: Browser, path: string, fields: Record<string, string>, at = server) =>
  browser.submit(at.url + path, { xsrf: browser.cookie(`${at.url}/`, 'RSC-XSRF') ?? '', ...fields });

/** Sets up the app on the account page. */
async function setUp(username: string) {
  const browser = createBrowser();
  await enter(browser, username);
  const page = await browser.get(`${server.url}/__dashboard__/account/authenticator`);
  const secret = /class="secret">([A-Z2-7]{32})</.exec(page.text)![1]!;
  const offer = hiddenIn(page, 'offer')!;
  const done = await post(browser, '/__dashboard__/account/authenticator', {
    offer,
    // As apps show it.
    code: `${codeOf(secret).replace(/.../, '$& ')} `,
    password: PASSWORD,
  });
  return { browser, secret, page, codes: codesIn(done), done };
}

describe('Authenticator app', () => {
  test('sign-in requires a code after the password', async () => {
    const { username } = await server.person('publisher');
    const { secret, codes } = await setUp(username);
    expect(codes).toHaveLength(10);
    const browser = createBrowser();
    const page = await enter(browser, username);
    expect([page.status, page.headers.getSetCookie(), await status(browser)]).toEqual([200, [], 401]);
    const step = hiddenIn(page, 'step')!;
    const fields = { step, next: hiddenIn(page, 'next')! };
    later();
    const wrong = await browser.submit(`${server.url}/__login__/second`, { ...fields, code: '000000' });
    expect([wrong.status, alertIn(wrong), await status(browser)]).toEqual([
      401,
      expect.stringContaining('incorrect'),
      401,
    ]);
    const right = await browser.submit(`${server.url}/__login__/second`, { ...fields, code: codeOf(secret) });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/__dashboard__/keys']);
    expect(await status(browser)).toBe(200);
  });

  test('a code works once, within about a minute, and voids earlier codes', async () => {
    const { username } = await server.person('viewer');
    const { secret } = await setUp(username);
    const attempt = async (code: string) => {
      const body = { username, password: PASSWORD, code };
      return (await server.anonymous('POST', '//__login__', { body })).status;
    };
    // The code that confirmed the setup is used up.
    expect(await attempt(codeOf(secret))).toBe(401);
    later();
    const code = codeOf(secret);
    expect(await attempt(code)).toBe(200);
    expect(await attempt(code)).toBe(401);
    later();
    const [early, late, old] = [codeOf(secret, 1), codeOf(secret, -1), codeOf(secret, -3)];
    expect(await attempt(old)).toBe(401);
    expect(await attempt(late)).toBe(200);
    expect(await attempt(early)).toBe(200);
    // A later code was used, which voids all earlier ones.
    expect(await attempt(codeOf(secret))).toBe(401);
  });

  test('programs send it as code, else error 99; API keys keep working', async () => {
    const publisher = await server.person('publisher');
    const { secret } = await setUp(publisher.username);
    const attempt = (more: object) => {
      const body = { username: publisher.username, password: PASSWORD, ...more };
      return server.anonymous('POST', '//__login__', { body });
    };
    later();
    const without = await attempt({});
    expect(without).toMatchObject(refused(401, 99));
    expect(without.headers.getSetCookie()).toEqual([]);
    expect(await attempt({ code: '' })).toMatchObject(refused(401, 30));
    expect(await attempt({ password: 'wrong', code: codeOf(secret) })).toMatchObject(refused(401, 30));
    expect(await attempt({ code: codeOf(secret) })).toMatchObject({
      status: 200,
      body: { username: publisher.username },
    });
    expect((await publisher.call('GET', '/v1/user')).status).toBe(200);
  });

  test('setup requires the password and a code, and keeps the QR code after a typo', async () => {
    const { username } = await server.person('viewer');
    const browser = createBrowser();
    await enter(browser, username);
    const path = '/__dashboard__/account/authenticator';
    const page = await browser.get(server.url + path);
    const secret = /class="secret">([A-Z2-7]{32})</.exec(page.text)![1]!;
    expect(page.text).toContain('<svg');
    const offer = hiddenIn(page, 'offer')!;
    const noPassword = await post(browser, path, { offer, code: codeOf(secret), password: 'wrong' });
    expect([noPassword.status, codesIn(noPassword)]).toEqual([403, []]);
    const mistyped = await post(browser, path, { offer, code: '000000', password: PASSWORD });
    expect([mistyped.status, mistyped.text.includes(secret)]).toEqual([401, true]);
    const altered = offer.startsWith('A') ? `B${offer.slice(1)}` : `A${offer.slice(1)}`;
    const forged = await post(browser, path, { offer: altered, code: codeOf(secret), password: PASSWORD });
    expect(forged.status).toBe(400);
    const other = await server.person('viewer');
    const elsewhere = createBrowser();
    await enter(elsewhere, other.username);
    const stolen = await post(elsewhere, path, { offer, code: codeOf(secret), password: PASSWORD });
    expect(stolen.status).toBe(400);
    const program = { username, password: PASSWORD };
    expect((await server.anonymous('POST', '//__login__', { body: program })).status).toBe(200);
  });

  test('wrong codes are slowed down even with the right password', async () => {
    const { username } = await server.person('viewer');
    await setUp(username);
    waits.length = 0;
    for (let i = 0; i < 6; i += 1) {
      const body = { username, password: PASSWORD, code: '111111' };
      expect((await server.anonymous('POST', '//__login__', { body })).status).toBe(401);
    }
    expect(waits).toEqual([1000, 2000]);
  });

  test('somebody with the password does not delay the owner in a known browser', async () => {
    const { username } = await server.person('viewer');
    const { browser, secret } = await setUp(username);
    for (let i = 0; i < 6; i += 1)
      await server.anonymous('POST', '//__login__', {
        body: { username, password: PASSWORD, code: '111111' },
      });
    waits.length = 0;
    later();
    const page = await enter(browser, username);
    const fields = { step: hiddenIn(page, 'step')!, next: hiddenIn(page, 'next')! };
    const done = await browser.submit(`${server.url}/__login__/second`, { ...fields, code: codeOf(secret) });
    expect([done.status, waits]).toEqual([303, []]);
  });

  test('after a hundred wrong codes in a row, those of the app are refused except in a known browser', async () => {
    const { username, guid } = await server.person('viewer');
    const { browser, secret, codes } = await setUp(username);
    const { db } = server.running.services.storage;
    await db.updateTable('totp').set({ failures: 99 }).where('user_guid', '=', guid).execute();
    const attempt = (code: string, password = PASSWORD) =>
      server.anonymous('POST', '//__login__', { body: { username, password, code } });
    expect(await attempt('111111')).toMatchObject(refused(401, 30));
    later();
    const late = await attempt(codeOf(secret));
    expect(late).toMatchObject(refused(401, 30));
    expect(late.body.error).toContain('too many wrong codes');
    // The owner is not locked out.
    const page = await enter(browser, username);
    const fields = { step: hiddenIn(page, 'step')!, next: hiddenIn(page, 'next')! };
    const known = await browser.submit(`${server.url}/__login__/second`, { ...fields, code: codeOf(secret) });
    expect(known.status).toBe(303);
    const wear = () => db.updateTable('totp').set({ failures: 100 }).where('user_guid', '=', guid).execute();
    later();
    await wear();
    expect((await attempt(codes[0]!)).status).toBe(200);
    expect((await attempt(codeOf(secret))).status).toBe(200);
    later();
    await wear();
    expect((await attempt(codeOf(secret))).status).toBe(401);
    const next = 'battery staple';
    await post(browser, '/__dashboard__/account/password', { current: PASSWORD, password: next });
    expect((await attempt(codeOf(secret), next)).status).toBe(200);
  });

  test('removing it requires the password, which then suffices to sign in', async () => {
    const { username } = await server.person('viewer');
    const { browser } = await setUp(username);
    const path = '/__dashboard__/account/authenticator/remove';
    expect((await post(browser, path, { 'remove-password': 'wrong' })).status).toBe(403);
    expect(await status(browser)).toBe(200);
    expect((await post(browser, path, { 'remove-password': PASSWORD })).status).toBe(303);
    const body = { username, password: PASSWORD };
    expect((await server.anonymous('POST', '//__login__', { body })).status).toBe(200);
  });
});

describe('Recovery codes', () => {
  test('a recovery code works once, and new codes void the old ones', async () => {
    const { username } = await server.person('viewer');
    const { browser, codes } = await setUp(username);
    const attempt = async (code: string) => {
      const body = { username, password: PASSWORD, code };
      return (await server.anonymous('POST', '//__login__', { body })).status;
    };
    expect(await attempt(codes[0]!.toUpperCase())).toBe(200);
    expect(await attempt(codes[0]!)).toBe(401);
    const renewed = codesIn(
      await post(browser, '/__dashboard__/account/authenticator/codes', { password: PASSWORD }),
    );
    expect(renewed).toHaveLength(10);
    expect(await attempt(codes[1]!)).toBe(401);
    expect(await attempt(renewed[1]!)).toBe(200);
    const { body } = await admin.call('GET', '/v1/audit_logs?limit=500');
    for (const code of [...codes, ...renewed]) expect(JSON.stringify(body)).not.toContain(code);
  });

  test('a failed audit write does not use up the recovery code', async () => {
    const { guid, username } = await server.person('viewer');
    const { codes } = await setUp(username);
    const { services } = server.running;
    const user = await userOf(services.storage.db, guid);
    const visit = { address: '', agent: '', previous: null, device: null };
    const audit = () => Promise.reject(new Error('the database is away'));
    const check = (parts: typeof services) => checkCode(parts, user, codes[0]!, visit);
    await expect(check({ ...services, audit })).rejects.toThrow('the database is away');
    await check(services);
    await expect(check(services)).rejects.toMatchObject({ code: 30 });
  });

  test('an administrator removes all second factors of an account and ends its sessions', async () => {
    const viewer = await server.person('viewer');
    const { browser } = await setUp(viewer.username);
    const path = `/v1/users/${viewer.guid}/second_factors`;
    expect(await viewer.call('DELETE', path)).toMatchObject(refused(403, 22));
    expect((await admin.call('DELETE', path)).status).toBe(204);
    expect(await status(browser)).toBe(401);
    const body = { username: viewer.username, password: PASSWORD };
    expect((await server.anonymous('POST', '//__login__', { body })).status).toBe(200);
  });
});

describe('The second step of sign-in', () => {
  test('rejects a step that is forged, expired or from before a password change', async () => {
    const viewer = await server.person('viewer');
    const { secret, browser: owner } = await setUp(viewer.username);
    later();
    const browser = createBrowser();
    const finish = async (step: string) =>
      (await browser.submit(`${server.url}/__login__/second`, { step, code: codeOf(secret) })).status;
    const stepOf = async () => hiddenIn(await enter(browser, viewer.username), 'step')!;
    expect(await finish('forged')).toBe(401);
    const old = await stepOf();
    now += 700_000_000;
    expect(await finish(old)).toBe(401);
    const before = await stepOf();
    const changed = await post(owner, '/__dashboard__/account/password', {
      current: PASSWORD,
      password: 'battery staple',
    });
    expect(changed.status).toBe(303);
    expect(await finish(before)).toBe(401);
    expect(await status(browser)).toBe(401);
  });
});

describe('Authentication.SecondFactor', () => {
  test('requires setup from administrators at their next sign-in, but not from others or keys', async () => {
    await using own = await startTestServer({ clock: { now: () => (now += 1) } });
    const boss = await own.administrator();
    const viewer = await own.person('viewer');
    await own.restart({ 'Authentication.SecondFactor': 'administrators' });
    const login = (username: string) =>
      own.anonymous('POST', '//__login__', { body: { username, password: PASSWORD } });
    expect((await login(viewer.username)).status).toBe(200);
    expect(await login(boss.username)).toMatchObject(refused(401, 99));
    expect((await boss.call('GET', '/v1/audit_logs')).status).toBe(200);
    const browser = createBrowser();
    const page = await enter(browser, boss.username, own);
    expect([page.text.includes('<svg'), await status(browser, own)]).toEqual([true, 401]);
    const secret = /class="codes">([A-Z2-7]{32})</.exec(page.text)![1]!;
    const fields = { step: hiddenIn(page, 'step')!, offer: hiddenIn(page, 'offer')!, next: '/' };
    const wrong = await browser.submit(`${own.url}/__login__/second`, { ...fields, code: '000000' });
    expect([wrong.status, wrong.text.includes(secret), await status(browser, own)]).toEqual([401, true, 401]);
    // Without the offered secret, nothing can be confirmed: no code signs in.
    const bare = await browser.submit(`${own.url}/__login__/second`, {
      step: fields.step,
      code: codeOf(secret),
    });
    expect([bare.status, await status(browser, own)]).toEqual([401, 401]);
    const done = await browser.submit(`${own.url}/__login__/second`, { ...fields, code: codeOf(secret) });
    expect(codesIn(done)).toHaveLength(10);
    expect(await status(browser, own)).toBe(200);
    // The step is complete: it cannot set up another app.
    const again = await browser.submit(`${own.url}/__login__/second`, { ...fields, code: codeOf(secret) });
    expect([again.status, codesIn(again)]).toEqual([401, []]);
  });

  test.each(['administrators', 'everybody'] as const)(
    'requires setup from the first administrator, too, before the set-up link signs in (%s)',
    async (who) => {
      await using own = await startTestServer({
        clock: { now: () => (now += 1) },
        settings: { 'Authentication.SecondFactor': who },
      });
      const token = new URL((await own.running.setUpLink()) ?? '').searchParams.get('token') ?? '';
      const browser = createBrowser();
      const account = { username: 'ada', email: 'ada@example.com', password: PASSWORD };
      const page = await browser.submit(`${own.url}/__setup__`, { token, ...account });
      expect([page.status, page.text.includes('<svg'), await status(browser, own)]).toEqual([200, true, 401]);
      const secret = /class="codes">([A-Z2-7]{32})</.exec(page.text)?.[1] ?? '';
      const next = hiddenIn(page, 'next')!;
      const fields = { step: hiddenIn(page, 'step')!, offer: hiddenIn(page, 'offer')!, next };
      const done = await browser.submit(`${own.url}/__login__/second`, { ...fields, code: codeOf(secret) });
      expect([codesIn(done).length, next]).toEqual([10, '/__dashboard__/']);
      expect(await status(browser, own)).toBe(200);
    },
  );

  test('ends the sessions of a new administrator, which began without it', async () => {
    await using own = await startTestServer({ clock: { now: () => (now += 1) } });
    const boss = await own.administrator();
    const person = await own.person('viewer');
    await own.restart({ 'Authentication.SecondFactor': 'administrators' });
    const browser = createBrowser();
    await enter(browser, person.username, own);
    const make = (user_role: string) => boss.call('PUT', `/v1/users/${person.guid}`, { body: { user_role } });
    expect((await make('publisher')).status).toBe(200);
    expect(await status(browser, own)).toBe(200);
    expect((await make('administrator')).status).toBe(200);
    expect(await status(browser, own)).toBe(401);
    const page = await enter(browser, person.username, own);
    expect([page.text.includes('<svg'), await status(browser, own)]).toEqual([true, 401]);
  });
});
