// Covers creation of the first administrator (H4): by a program or by the link printed at the start, never by a page.
import { request } from 'node:http';
import { createBrowser, refused, startTestServer, type TestServer } from '@pressroom/testkit';
import { describe, expect, test } from 'vitest';

const ADA = { username: 'ada', email: 'ada@example.com', password: 'correct horse' };

const make = (server: TestServer, headers: Record<string, string> = {}) =>
  server.anonymous('POST', '/v1/users', { body: ADA, headers });

/** With a custom Host header, which fetch does not allow. */
function makeAs(server: TestServer, host: string, agent: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${server.url}/__api__/v1/users`,
      {
        method: 'POST',
        headers: { host, 'User-Agent': agent, 'Content-Type': 'application/json' },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode!);
      },
    );
    call.on('error', reject).end(JSON.stringify(ADA));
  });
}

describe('H4: First administrator without a key', () => {
  test('a program creates the first administrator with any content type, but no second', async () => {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      await using server = await startTestServer({ settings: {} });
      expect(await make(server, { 'Content-Type': type }), type).toMatchObject({
        status: 200,
        body: { user_role: 'administrator' },
      });
      expect(await make(server)).toMatchObject(refused(401, 24));
    }
  });

  test('returns error 41 without a password', async () => {
    await using server = await startTestServer({ settings: {} });
    for (const more of [{}, { user_must_set_password: true }]) {
      const body = { username: 'ada', email: 'ada@example.com', ...more };
      expect(await server.anonymous('POST', '/v1/users', { body })).toMatchObject(refused(400, 41));
    }
  });

  test.each([
    ['a form of another site', { Origin: 'https://evil.example', 'Content-Type': 'text/plain' }],
    ['a form without a referrer', { Origin: 'null', 'Content-Type': 'text/plain' }],
    [
      'a content page on the server’s origin',
      { Origin: 'http://127.0.0.1', 'Sec-Fetch-Site': 'same-origin' },
    ],
    ['a request with Sec-Fetch-Site: none', { 'Sec-Fetch-Site': 'none' }],
    ['a request with only a Referer', { Referer: 'https://evil.example/' }],
    ['a request with cookies', { Cookie: 'a=b' }],
    ['a browser form without Origin', { 'User-Agent': 'Mozilla/5.0 (X11)', 'Content-Type': 'text/plain' }],
    [
      'a multipart browser form without Origin',
      { 'User-Agent': 'Mozilla/5.0 (X11)', 'Content-Type': 'multipart/form-data; boundary=x' },
    ],
  ])('rejects %s', async (_what, headers) => {
    await using server = await startTestServer({ settings: {} });
    expect(await make(server, headers as Record<string, string>)).toMatchObject(refused(403, 92));
    expect((await make(server)).status).toBe(200);
  });

  test('rejects browsers that use another host name (DNS rebinding)', async () => {
    await using server = await startTestServer({ settings: {} });
    const port = new URL(server.url).port;
    for (const host of [
      `evil.example:${port}`,
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ])
      expect(await makeAs(server, host, 'Mozilla/5.0 (X11)'), host).toBe(403);
    // A program may use any host name of the server.
    expect(await makeAs(server, `content:${port}`, 'curl/8')).toBe(200);
  });

  test('accepts browsers that use the host of Server.Address', async () => {
    await using server = await startTestServer({
      settings: { 'Server.Address': 'https://content.example.com' },
    });
    expect(await makeAs(server, 'evil.example', 'Mozilla/5.0 (X11)')).toBe(403);
    expect(await makeAs(server, 'content.example.com', 'Mozilla/5.0 (X11)')).toBe(200);
  });

  test('Setup.KeylessFrom = loopback accepts only programs on this machine', async () => {
    const settings = { 'Setup.KeylessFrom': 'loopback', 'HTTP.TrustProxy': '127.0.0.1' } as const;
    await using server = await startTestServer({ settings });
    const far = await make(server, { 'X-Forwarded-For': '192.0.2.1' });
    expect(far).toMatchObject(refused(401, 24));
    expect(far.body.error).toContain('Setup.KeylessFrom');
    expect((await make(server)).status).toBe(200);
  });

  test('Setup.KeylessFrom = link rejects everyone without the link', async () => {
    await using server = await startTestServer({ settings: { 'Setup.KeylessFrom': 'link' } });
    expect(await make(server)).toMatchObject(refused(401, 24));
    expect(await server.running.setUpLink()).toContain('/__setup__?token=');
  });
});

describe('H4: Set-up link', () => {
  test('creates the first administrator once, and signs in', async () => {
    await using server = await startTestServer({ settings: { 'Setup.KeylessFrom': 'link' } });
    const link = (await server.running.setUpLink())!;
    const token = new URL(link).searchParams.get('token')!;
    const browser = createBrowser();
    expect((await browser.get(link)).text).toContain('Create administrator');
    const weak = await browser.submit(link, { token, ...ADA, password: 'password1' });
    expect([weak.status, weak.text]).toEqual([400, expect.stringContaining('tried first')]);
    expect(weak.text).toContain('value="ada@example.com"');
    const page = await browser.submit(link, { token, ...ADA });
    expect([page.status, page.headers.get('location')]).toEqual([303, '/__dashboard__/']);
    const user = JSON.parse((await browser.get(`${server.url}/__api__/v1/user`)).text) as object;
    expect(user).toMatchObject({ username: 'ada', user_role: 'administrator' });
    expect(await server.running.setUpLink()).toBe(null);
    expect((await createBrowser().get(link)).status).toBe(401);
    const second = await createBrowser().submit(link, { token, ...ADA, username: 'eve' });
    expect([second.status, second.headers.getSetCookie()]).toEqual([401, []]);
  });

  test('cannot be guessed, or used by a form of another site', async () => {
    await using server = await startTestServer({ settings: {} });
    const link = (await server.running.setUpLink())!;
    const token = new URL(link).searchParams.get('token')!;
    for (const wrong of ['', 'x', token.slice(1), `${token}x`]) {
      const page = await createBrowser().submit(`${server.url}/__setup__`, { token: wrong, ...ADA });
      expect(page.status, wrong).toBe(401);
      expect((await createBrowser().get(`${server.url}/__setup__?token=${wrong}`)).status).toBe(401);
    }
    const elsewhere = createBrowser({ 'Sec-Fetch-Site': 'cross-site' });
    expect((await elsewhere.submit(link, { token, ...ADA })).status).toBe(403);
    expect(await server.running.setUpLink()).toBe(link);
  });

  test('survives a restart, and does not exist under PAM', async () => {
    await using server = await startTestServer({ settings: {} });
    const token = async () => new URL((await server.running.setUpLink())!).searchParams.get('token');
    const before = await token();
    await server.restart();
    expect(await token()).toBe(before);
    await server.restart({ 'Authentication.Provider': 'pam' });
    expect(await server.running.setUpLink()).toBe(null);
  });
});
