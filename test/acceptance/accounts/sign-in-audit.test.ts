// Covers the audit log of sign-ins, failures, refusals and uses of keys (M12), over HTTP (M5).
import { createBrowser, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';

const PASSWORD = 'correct horse';
const SETTINGS = { 'HTTP.TrustProxy': '127.0.0.1' } as const;

interface Entry {
  readonly action: string;
  readonly user_id: string;
  readonly user_description: string;
  readonly event_description: string;
}

async function logOf(admin: Person, action: string): Promise<Entry[]> {
  const { body } = await admin.call('GET', '/v1/audit_logs?limit=500');
  return (body.results as Entry[]).filter((entry) => entry.action === action);
}

const signIn = (
  server: TestServer,
  username: string,
  password: string,
  headers: Record<string, string> = { 'X-Forwarded-For': '192.0.2.7', 'User-Agent': 'Firefox/999' },
) => server.anonymous('POST', '//__login__', { body: { username, password }, headers });

describe('M12: Audit log of sign-ins', () => {
  test('records every sign-in with its address, method and browser', async () => {
    await using server = await startTestServer({ settings: SETTINGS });
    const admin = await server.administrator();
    const viewer = await server.person('viewer', { first_name: 'Vera' });
    await signIn(server, viewer.username, PASSWORD);
    const [entry] = (await logOf(admin, 'sign_in')).filter((item) => item.user_id === viewer.guid);
    expect(entry).toMatchObject({
      user_description: `Vera (${viewer.username})`,
      event_description: 'Signed in by password from 192.0.2.7 with Firefox/999',
    });
  });

  test('records failed sign-ins with name, address and reason, never the password', async () => {
    await using server = await startTestServer({ settings: SETTINGS, pause: async () => undefined });
    const admin = await server.administrator();
    const viewer = await server.person('viewer');
    await signIn(server, viewer.username, 'my wrong secret');
    await signIn(server, 'not-there', 'my wrong secret');
    await admin.call('POST', `/v1/users/${viewer.guid}/lock`, { body: { locked: true } });
    await signIn(server, viewer.username, PASSWORD);
    const failed = await logOf(admin, 'sign_in_failed');
    expect(failed.map((entry) => entry.event_description)).toEqual([
      `"${viewer.username}" could not sign in by password from 192.0.2.7 with Firefox/999: code 30`,
      '"not-there" could not sign in by password from 192.0.2.7 with Firefox/999: code 30',
      `"${viewer.username}" could not sign in by password from 192.0.2.7 with Firefox/999: code 50`,
    ]);
    const { bytes } = await admin.call('GET', '/v1/audit_logs?limit=500');
    expect(bytes.toString()).not.toContain('my wrong secret');
    expect(bytes.toString()).not.toContain(PASSWORD);
  });

  test('keeps control characters and mistyped passwords of strangers out', async () => {
    await using server = await startTestServer({ settings: SETTINGS });
    const admin = await server.administrator();
    const odd = 'x\n2026-01-01 admin signed in \u001b[31m\u202e';
    await signIn(server, odd, 'x', { 'User-Agent': `A\tB \u00e9${'long '.repeat(50)}` });
    await signIn(server, 'Tr0ub4dor & 3!', 'x');
    const texts = (await logOf(admin, 'sign_in_failed')).map((entry) => entry.event_description);
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      expect(text).toMatch(/^a name that is not permitted could not sign in/);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(text.length).toBeLessThan(250);
    }
  });

  test('records denied requests, and counts repeated ones in one entry', async () => {
    await using server = await startTestServer({ settings: {} });
    const admin = await server.administrator();
    const viewer = await server.person('viewer');
    for (let i = 0; i < 30; i += 1) await viewer.call('GET', '/v1/audit_logs');
    await viewer.call('POST', `/v1/users/${admin.guid}/lock`, { body: { locked: true } });
    const texts = (await logOf(admin, 'refuse')).map((entry) => [entry.user_id, entry.event_description]);
    expect(texts).toEqual([
      [viewer.guid, 'Refused getAuditLogs (code 22), asked from 127.0.0.1'],
      [viewer.guid, 'Refused lockUser (code 22), asked from 127.0.0.1'],
    ]);
    // Further refusals are counted in one entry, written at the latest when the server stops.
    await server.restart();
    expect((await logOf(admin, 'refuse')).at(-1)).toMatchObject({
      event_description: 'Refused getAuditLogs (code 22), asked from 127.0.0.1: 29 more times',
    });
  });

  test('records a key used from a new network, except for its first use', async () => {
    await using server = await startTestServer({ settings: SETTINGS });
    const admin = await server.administrator();
    const publisher = await server.person('publisher');
    const from = (address: string) =>
      publisher.call('GET', '/v1/user', { headers: { 'X-Forwarded-For': address } });
    for (const address of ['192.0.2.1', '192.0.2.1', '198.51.100.9', '192.0.2.1', '198.51.100.9']) {
      expect((await from(address)).status).toBe(200);
    }
    await server.restart();
    for (const address of ['192.0.2.1', '198.51.100.9', '2001:db8::1', '2001:db8::2']) await from(address);
    // Content that a key opens counts, too.
    const { path } = await publish(admin, { 'index.html': 'x' });
    const headers = { 'X-Forwarded-For': '203.0.113.7' };
    expect((await publisher.call('GET', path, { headers })).status).toBe(200);
    const texts = (await logOf(admin, 'use_api_key')).map((entry) => [
      entry.user_id,
      entry.event_description,
    ]);
    expect(texts).toEqual([
      [publisher.guid, expect.stringMatching(/^API key "test" \(\d+\) was used from 198\.51\.100\.9/)],
      [publisher.guid, expect.stringMatching(/^API key "test" \(\d+\) was used from 2001:db8::1/)],
      [publisher.guid, expect.stringMatching(/^API key "test" \(\d+\) was used from 203\.0\.113\.7/)],
    ]);
  });
});

test('M12: the server log records sign-ins at info without secrets or injected lines', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  await using server = await startTestServer({ settings: SETTINGS, log });
  await server.administrator();
  const signedIn = await signIn(server, 'admin', PASSWORD);
  await signIn(server, 'admin\n{"level":60}', 'my wrong secret');
  const said = lines.map((line) => JSON.parse(line) as { level: number; msg: string; address?: string });
  expect(said.filter((entry) => entry.msg === 'signed in').at(-1)).toMatchObject({
    level: 30,
    way: 'password',
    address: '192.0.2.7',
  });
  expect(said.find((entry) => entry.msg === 'sign-in failed')).toMatchObject({
    level: 30,
    who: 'a name that is not permitted',
    code: 30,
    address: '192.0.2.7',
  });
  const all = lines.join('');
  const token = /pressroom-session=([\w-]+)/.exec(signedIn.headers.getSetCookie().join())![1]!;
  for (const secret of [PASSWORD, 'my wrong secret', token]) expect(all).not.toContain(secret);
});

describe('M5: Password guessing over HTTP', () => {
  /** Starts a server whose delays end only when the test says so. */
  async function startWaiting() {
    const waits: (() => void)[] = [];
    const pause = () => new Promise<void>((resolve) => waits.push(resolve));
    const server = await startTestServer({ settings: SETTINGS, pause });
    await server.administrator();
    return { server, waits };
  }

  test('the owner signs in from a known browser at the address of the guesser', async () => {
    const { server, waits } = await startWaiting();
    await using _ = server;
    const here = { 'X-Forwarded-For': '192.0.2.7' };
    const hers = createBrowser(here);
    await hers.submit(`${server.url}/__login__`, { username: 'admin', password: PASSWORD });
    for (let i = 0; i < 4; i += 1) await signIn(server, 'admin', 'wrong', here);
    // Five may wait, so the first response is the refusal of the sixth.
    const filling = Array.from({ length: 6 }, () => signIn(server, 'admin', 'wrong', here));
    expect((await Promise.race(filling)).status).toBe(429);
    const full = await signIn(server, 'admin', PASSWORD, here);
    expect([full.status, full.body.code, full.headers.get('retry-after')]).toEqual([429, 30, '60']);
    const page = await hers.submit(`${server.url}/__login__`, { username: 'admin', password: PASSWORD });
    expect(page.status).toBe(303);
    // Her cookie is valid for her account only.
    const other = await hers.submit(`${server.url}/__login__`, { username: 'not-there', password: 'x' });
    expect(other.status).toBe(401);
    const ended = Promise.all(filling);
    const timer = setInterval(() => waits.splice(0).forEach((end) => end()), 5);
    const statuses = (await ended).map((response) => response.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([401, 401, 401, 401, 401, 429]);
    clearInterval(timer);
  });

  test('a forged device cookie grants no extra attempts', async () => {
    const { server, waits } = await startWaiting();
    await using _ = server;
    for (let i = 0; i < 4; i += 1) await signIn(server, 'admin', 'wrong');
    const forged = createBrowser({ 'X-Forwarded-For': '192.0.2.7' });
    for (const value of ['x', 'x.y', 'e30.e30', '']) {
      forged.setCookie(`${server.url}/__login__`, 'pressroom-device', value);
      const attempt = forged.submit(`${server.url}/__login__`, { username: 'admin', password: 'wrong' });
      await expect.poll(() => waits.length).toBe(1);
      waits.pop()!();
      expect((await attempt).status).toBe(401);
    }
  });
});
