// Covers passwords: who sets the first one (M3), which are allowed, and how they are changed and reset (M4).
import {
  createBrowser,
  openMailbox,
  refused,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const PASSWORD = 'correct horse';
const NEXT = 'battery staple';
const signIn = (server: TestServer, username: string, password: string) =>
  server.anonymous('POST', '//__login__', { body: { username, password } });
const tokenIn = (text: string) => /token=([\w-]+)/.exec(text)![1]!;

async function browserOf(server: TestServer, username: string, password = PASSWORD) {
  const browser = createBrowser();
  await browser.submit(`${server.url}/__login__`, { username, password });
  const session = async () => (await browser.get(`${server.url}/__api__/v1/user`)).status;
  const change = async (body: object) => {
    const page = await browser.api('POST', `${server.url}/__api__/v1/user/password`, body);
    return { status: page.status, body: page.text === '' ? undefined : (JSON.parse(page.text) as unknown) };
  };
  return { browser, session, change };
}

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer({ pause: async () => undefined });
  admin = await server.administrator();
});
afterAll(() => server[Symbol.asyncDispose]());

describe('M3: Accounts without a password', () => {
  const make = async (username: string) => {
    const body = { username, email: `${username}@example.com`, user_must_set_password: true };
    return (await admin.call('POST', '/v1/users', { body })).body.guid as string;
  };

  test('sign-in fails exactly as for an unknown account', async () => {
    await make('invited');
    const [theirs, nobodys] = [
      await signIn(server, 'invited', 'a password of a stranger'),
      await signIn(server, 'not-there', 'a password of a stranger'),
    ];
    expect(theirs).toMatchObject(refused(401, 30));
    expect(theirs.body).toEqual(nobodys.body);
    // A weak password once gave another error, which revealed who is invited.
    expect((await signIn(server, 'invited', 'x')).body).toEqual(nobodys.body);
  });

  test('the password link sets a password once', async () => {
    const guid = await make('linked');
    const { body } = await admin.call('POST', `/v1/users/${guid}/password_link`);
    expect(Date.parse(body.expires_time)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const browser = createBrowser();
    expect((await browser.get(body.url)).text).toContain('linked');
    const fields = { token: tokenIn(body.url), password: NEXT };
    const page = await browser.submit(`${server.url}/__login__/password`, fields);
    expect(page.status).toBe(303);
    expect((await browser.follow(page)).text).toContain('Your password is set. Sign in with it.');
    expect((await signIn(server, 'linked', NEXT)).status).toBe(200);
    const again = await browser.submit(`${server.url}/__login__/password`, { ...fields, password: PASSWORD });
    expect(again.status).toBe(403);
    // This server sends no mail.
    expect(again.text).toContain('Ask an administrator');
    expect(again.text).not.toContain('email you a link');
    expect(again.text).toContain('href="/__login__"');
    expect(
      await server.anonymous('PUT', '/v1/password_reset', { body: { ...fields, password: PASSWORD } }),
    ).toMatchObject(refused(403, 101));
  });

  test('the sign-in page keeps the name after a wrong password', async () => {
    const fields = { username: '"linked"', password: 'wrong' };
    const page = await createBrowser().submit(`${server.url}/__login__`, fields);
    expect(page.text).toContain('value="&quot;linked&quot;"');
  });

  test('a password link replaces an existing password and ends all sessions', async () => {
    const { guid, username } = await server.person('viewer');
    const { session } = await browserOf(server, username);
    const { body } = await admin.call('POST', `/v1/users/${guid}/password_link`);
    expect(await session()).toBe(200);
    const set = { body: { token: tokenIn(body.url), password: NEXT } };
    expect((await server.anonymous('PUT', '/v1/password_reset', set)).status).toBe(204);
    expect(await session()).toBe(401);
  });

  test('only administrators create password links, and only for existing, unlocked accounts', async () => {
    const guid = await make('locked-out');
    const publisher = await server.person('publisher');
    const ask = (who: Person, whom: string) => who.call('POST', `/v1/users/${whom}/password_link`);
    expect(await ask(publisher, guid)).toMatchObject(refused(403, 22));
    expect(await ask(publisher, publisher.guid)).toMatchObject(refused(403, 22));
    expect(await ask(admin, '00000000-0000-4000-8000-000000000000')).toMatchObject(refused(404, 4));
    const { body } = await ask(admin, guid);
    await admin.call('POST', `/v1/users/${guid}/lock`, { body: { locked: true } });
    expect(await ask(admin, guid)).toMatchObject(refused(403, 50));
    await admin.call('POST', `/v1/users/${guid}/lock`, { body: { locked: false } });
    const late = { body: { token: tokenIn(body.url), password: NEXT } };
    expect(await server.anonymous('PUT', '/v1/password_reset', late)).toMatchObject(refused(403, 101));
  });
});

describe('M4: Password rules', () => {
  test('requires eight characters and no common password, and nothing else', async () => {
    const { username } = await server.person('viewer');
    const { change } = await browserOf(server, username);
    const choose = (password: string) => change({ current_password: PASSWORD, password });
    for (const weak of [
      '',
      '7 chars',
      'Password1',
      'PASSWORD123',
      'qwertyuiop',
      'aaaaaaaaaaaa',
      username.padEnd(8, 'x') === username ? username : `${username}@example.com`,
    ]) {
      expect(await choose(weak), weak).toMatchObject({ status: 400, body: { code: 6 } });
    }
    expect(await choose('lower case only')).toMatchObject({ status: 204 });
    const long = 'ü'.repeat(40) + ' one two three four five '.repeat(10);
    expect((await change({ current_password: 'lower case only', password: long })).status).toBe(204);
    expect((await signIn(server, username, long)).status).toBe(200);
  });

  test('administrators may set six characters, unless the strict policy is on', async () => {
    await using own = await startTestServer({ settings: {} });
    const who = await own.administrator();
    const create = (username: string, password: string) =>
      who.call('POST', '/v1/users', { body: { username, email: `${username}@example.com`, password } });
    expect((await create('six', 'secret')).status).toBe(200);
    expect(await create('five', 'short')).toMatchObject(refused(400, 6));
    await own.restart({ 'Authentication.PasswordPolicy': 'strict' });
    expect(await create('seven', 'secret1')).toMatchObject(refused(400, 6));
    expect(await create('common', 'password1')).toMatchObject(refused(400, 6));
    expect((await create('eight', PASSWORD)).status).toBe(200);
  });

  test('PasswordMinLength raises the minimum length', async () => {
    await using own = await startTestServer({ settings: { 'Authentication.PasswordMinLength': 15 } });
    const who = await own.administrator();
    const { change } = await browserOf(own, who.username);
    expect(await change({ current_password: PASSWORD, password: 'fourteen chars' })).toMatchObject({
      status: 400,
      body: { code: 6, error: expect.stringContaining('15') as string },
    });
    expect((await change({ current_password: PASSWORD, password: 'fifteen chars !' })).status).toBe(204);
  });
});

describe('M4: Changing one’s own password', () => {
  test('requires the current password (error 96) and ends all other sessions', async () => {
    const { username } = await server.person('publisher');
    const [mine, other] = [await browserOf(server, username), await browserOf(server, username)];
    expect(await mine.change({ current_password: 'wrong', password: NEXT })).toMatchObject(refused(403, 96));
    expect([await mine.session(), await other.session()]).toEqual([200, 200]);
    expect(await mine.change({ current_password: PASSWORD, password: NEXT })).toMatchObject({ status: 204 });
    expect([await mine.session(), await other.session()]).toEqual([200, 401]);
    expect(await signIn(server, username, PASSWORD)).toMatchObject(refused(401, 30));
    expect((await signIn(server, username, NEXT)).status).toBe(200);
  });

  test('the longest password signs in, whatever its characters', async () => {
    const { username } = await server.person('viewer');
    const longest = `${'\u{1f648}'.repeat(1022)}ab`;
    const { change } = await browserOf(server, username);
    const longer = await change({ current_password: PASSWORD, password: `${longest}c` });
    expect(longer).toMatchObject(refused(400, 6));
    expect((await change({ current_password: PASSWORD, password: longest })).status).toBe(204);
    expect((await signIn(server, username, longest)).status).toBe(200);
    expect(await signIn(server, username, `${longest}c`)).toMatchObject(refused(401, 30));
  });

  test('rejects API keys with error 95', async () => {
    const publisher = await server.person('publisher');
    const body = { current_password: PASSWORD, password: NEXT };
    expect(await publisher.call('POST', '/v1/user/password', { body })).toMatchObject(refused(403, 95));
    expect((await signIn(server, publisher.username, PASSWORD)).status).toBe(200);
  });

  test('voids earlier password links', async () => {
    const viewer = await server.person('viewer');
    const { body } = await admin.call('POST', `/v1/users/${viewer.guid}/password_link`);
    const { change } = await browserOf(server, viewer.username);
    expect((await change({ current_password: PASSWORD, password: NEXT })).status).toBe(204);
    const late = { token: tokenIn(body.url), password: 'another one still' };
    expect(await server.anonymous('PUT', '/v1/password_reset', { body: late })).toMatchObject(
      refused(403, 101),
    );
  });

  test('is rejected with error 31 when the provider is not password', async () => {
    await using own = await startTestServer({ settings: {} });
    const who = await own.administrator();
    await own.restart({ 'Authentication.Provider': 'pam' });
    const change = { current_password: 'a', password: NEXT };
    expect(await who.call('POST', '/v1/user/password', { body: change })).toMatchObject(refused(403, 31));
    expect(await who.call('POST', `/v1/users/${who.guid}/password_link`)).toMatchObject(refused(403, 31));
    const asked = await own.anonymous('POST', '/v1/password_reset', { body: { username: 'admin' } });
    expect(asked).toMatchObject(refused(403, 31));
    const set = await own.anonymous('PUT', '/v1/password_reset', { body: { token: 'x', password: NEXT } });
    expect(set).toMatchObject(refused(403, 31));
  });
});

describe('M4: Password reset by mail', () => {
  const ADDRESS = 'https://content.example.com';
  const ask = (own: TestServer, username: string, headers: Record<string, string> = {}) =>
    own.anonymous('POST', '/v1/password_reset', { body: { username }, headers });

  test('the link works once, and the response never reveals whether an account exists', async () => {
    await using mailbox = await openMailbox();
    await using own = await startTestServer({ pause: async () => undefined });
    const viewer = await own.person('viewer');
    await own.restart({ 'Mail.URL': mailbox.url, 'Server.Address': ADDRESS });
    const [known, unknown] = [await ask(own, viewer.username), await ask(own, 'not-there')];
    expect([known.status, unknown.status, known.bytes.length]).toEqual([204, 204, 0]);
    const mail = await mailbox.next();
    expect(mail).toContain(`To: ${viewer.username}@example.com`);
    const token = tokenIn(mail);
    expect((await own.anonymous('GET', `//__login__/password?token=${token}`)).status).toBe(200);
    const set = (password: string) =>
      own.anonymous('PUT', '/v1/password_reset', { body: { token, password } });
    expect(await set('password1')).toMatchObject(refused(400, 6));
    expect((await set(NEXT)).status).toBe(204);
    expect(await set(NEXT)).toMatchObject(refused(403, 101));
    // Using the link also confirms the address.
    expect(await signIn(own, viewer.username, NEXT)).toMatchObject({
      status: 200,
      body: { confirmed: true },
    });
    expect(mailbox.waiting).toBe(0);
  });

  test('a link expires after an hour, or when the e-mail address changes', async () => {
    let now = Date.UTC(2030, 0, 1) * 1000;
    await using mailbox = await openMailbox();
    await using own = await startTestServer({ clock: { now: () => (now += 1) } });
    const viewer = await own.person('viewer');
    const boss = await own.administrator();
    await own.restart({ 'Mail.URL': mailbox.url, 'Server.Address': ADDRESS });
    const set = (token: string) =>
      own.anonymous('PUT', '/v1/password_reset', { body: { token, password: NEXT } });
    await ask(own, viewer.username);
    const late = tokenIn(await mailbox.next());
    now += 3_600_000_000;
    expect(await set(late)).toMatchObject(refused(403, 101));
    await ask(own, viewer.username);
    const moved = tokenIn(await mailbox.next());
    await boss.call('PUT', `/v1/users/${viewer.guid}`, { body: { email: 'elsewhere@example.com' } });
    await mailbox.next();
    expect(await set(moved)).toMatchObject(refused(403, 101));
  });

  test('rejects cross-site requests, and returns error 43 without a mail server', async () => {
    expect(await ask(server, 'admin')).toMatchObject(refused(400, 43));
    expect(await ask(server, 'admin', { 'Sec-Fetch-Site': 'cross-site' })).toMatchObject(refused(403, 92));
  });

  test('the link uses Server.Address and never the Host header; error 43 without it', async () => {
    await using mailbox = await openMailbox();
    await using own = await startTestServer({ settings: {} });
    const viewer = await own.person('viewer');
    await own.restart({ 'Mail.URL': mailbox.url, 'HTTP.TrustProxy': '127.0.0.1' });
    const evil = { 'X-Forwarded-Host': 'evil.example' };
    expect(await ask(own, viewer.username, evil)).toMatchObject(refused(400, 43));
    await own.restart({ 'Mail.URL': mailbox.url, 'HTTP.TrustProxy': '127.0.0.1', 'Server.Address': ADDRESS });
    expect((await ask(own, viewer.username, evil)).status).toBe(204);
    const mail = await mailbox.next();
    expect(mail).toContain(`${ADDRESS}/__login__/password?token=`);
    expect(mail).not.toContain('evil.example');
  });

  test('sends at most three mails an hour to an account', async () => {
    await using mailbox = await openMailbox();
    await using own = await startTestServer({ pause: async () => undefined });
    const viewer = await own.person('viewer');
    const other = await own.person('viewer');
    await own.restart({ 'Mail.URL': mailbox.url, 'Server.Address': ADDRESS });
    for (let i = 0; i < 5; i += 1) await ask(own, viewer.username);
    await ask(own, other.username);
    // Mails are sent independently, so they arrive in any order.
    const next = async () => /To: (\w+)@/.exec(await mailbox.next())![1]!;
    const to = new Map<string, number>();
    for (let i = 0; i < 4; i += 1) {
      const name = await next();
      to.set(name, (to.get(name) ?? 0) + 1);
    }
    expect(to).toEqual(
      new Map([
        [viewer.username, 3],
        [other.username, 1],
      ]),
    );
    await ask(own, viewer.username);
    await ask(own, other.username);
    expect(await next()).toBe(other.username);
    expect(mailbox.waiting).toBe(0);
  });

  test('a new account without a password is mailed a link that confirms its address', async () => {
    await using mailbox = await openMailbox();
    await using own = await startTestServer({ settings: {} });
    const boss = await own.administrator();
    await own.restart({ 'Mail.URL': mailbox.url, 'Server.Address': ADDRESS });
    const body = { username: 'mia', email: 'mia@example.com', user_must_set_password: true };
    expect((await boss.call('POST', '/v1/users', { body })).body).toMatchObject({ confirmed: false });
    const token = tokenIn(await mailbox.next());
    const set = { body: { token, password: NEXT } };
    expect((await own.anonymous('PUT', '/v1/password_reset', set)).status).toBe(204);
    expect(await signIn(own, 'mia', NEXT)).toMatchObject({ status: 200, body: { confirmed: true } });
  });
});
