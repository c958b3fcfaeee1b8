import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { createFakeClock } from '../client/testing/fake-clock.ts';
import { startFakeServer, type FakeServer } from '../client/testing/fake-server.ts';
import { json } from '../client/testing/responses.ts';
import { signInWithBrowser, type BrowserCode } from './sign-in-with-browser.ts';

const BEGUN = {
  device_code: 'DEVICE',
  user_code: 'BCDF-GHJK',
  verification_uri: 'http://127.0.0.1/__dashboard__/device',
  verification_uri_complete: 'http://127.0.0.1/__dashboard__/device?code=BCDF-GHJK',
  expires_in: 600,
  interval: 5,
};
const KEY = { id: '1', key: 'NEW-KEY', user_guid: 'g', name: 'n', created_time: '', last_used_time: null };

let fake: FakeServer;
beforeEach(async () => {
  fake = await startFakeServer();
});
afterEach(() => fake.close());

/** Makes the server answer polls with these errors, then with the key. */
function offer(words: readonly string[], begun: object = BEGUN): void {
  const left = [...words];
  fake.on('GET', /^\/server_settings$/, (_request, response) =>
    json(response, 200, { device_sign_in: true }),
  );
  fake.on('POST', /^\/v1\/device_sign_in$/, (_request, response) => json(response, 200, begun));
  fake.on('POST', /^\/v1\/device_sign_in\/token$/, (_request, response) => {
    const error = left.shift();
    if (error === 'cut') return response.destroy();
    if (error === 'restarting') return json(response, 503, { code: 1, error, payload: null });
    if (error === 'limited') return json(response, 429, { code: 1, error, payload: null });
    return error === undefined
      ? json(response, 200, KEY)
      : json(response, 400, { code: 25, error, payload: null });
  });
}

async function signIn(abortAfter = Infinity) {
  const abort = new AbortController();
  const clock = createFakeClock(() => clock.sleeps.length >= abortAfter && abort.abort());
  const codes: BrowserCode[] = [];
  await using client = createClient({ url: fake.url, retries: 0 });
  const onCode = (code: BrowserCode) => void codes.push(code);
  const { signal } = abort;
  const result = await signInWithBrowser(client, { clientName: 'Test', onCode, signal, clock }).catch(
    (error: unknown) => error,
  );
  return { result, codes, sleeps: clock.sleeps.map((sleep) => sleep / 1000) };
}

test('shows the code, keeps the polling interval, and returns the key', async () => {
  offer(['authorization_pending', 'slow_down', 'authorization_pending']);
  const { result, codes, sleeps } = await signIn();
  expect(result).toMatchObject({ key: 'NEW-KEY' });
  expect(codes).toHaveLength(1);
  expect(JSON.stringify(codes)).not.toContain('DEVICE');
  expect(sleeps).toEqual([5, 5, 10, 10]);
});

test.each(['cut', 'restarting', 'limited'])(
  'retries with growing delays while the server is away: %s',
  async (word) => {
    offer([word, word, 'authorization_pending']);
    const { result, sleeps } = await signIn();
    expect(result).toMatchObject({ key: 'NEW-KEY' });
    expect(sleeps).toEqual([5, 10, 20, 20]);
  },
);

test('polls at least once a minute, whatever the server asks for', async () => {
  offer(['authorization_pending'], { ...BEGUN, interval: 3_000_000 });
  expect((await signIn()).sleeps).toEqual([60, 60]);
});

test.each([
  ['access_denied', 'denied'],
  ['expired_token', 'expired'],
])('reports %s as %s', async (word, kind) => {
  offer(['authorization_pending', word]);
  expect((await signIn()).result).toMatchObject({ name: 'BrowserSignInError', kind });
});

test('expires after the given time, whatever the server returns', async () => {
  offer(Array<string>(1000).fill('authorization_pending'));
  const { result, sleeps } = await signIn();
  expect(result).toMatchObject({ kind: 'expired' });
  expect(sleeps).toHaveLength(120);
});

test('stops when aborted', async () => {
  offer(Array<string>(1000).fill('authorization_pending'));
  const { result, sleeps } = await signIn(3);
  expect(result).toMatchObject({ name: 'NoResponseError', kind: 'aborted' });
  expect(sleeps).toHaveLength(3);
});

test('reports an unsupported server without starting a sign-in', async () => {
  expect((await signIn()).result).toMatchObject({ name: 'BrowserSignInError', kind: 'unsupported' });
  expect(fake.calls()).toEqual(['GET /server_settings']);
});

test('keeps another error of the server', async () => {
  offer(['Something else']);
  expect((await signIn()).result).toMatchObject({ name: 'RefusedError', code: 25 });
});

test.each([
  ['javascript:alert(1)', 'BCDF-GHJK'],
  ['file:///etc/passwd', 'BCDF-GHJK'],
  ['http://127.0.0.1/', '\u001b[2J'],
])('rejects the page %j with code %j', async (verification_uri_complete, user_code) => {
  offer([], { ...BEGUN, verification_uri_complete, user_code });
  const { result, codes } = await signIn();
  expect(result).toMatchObject({ name: 'InvalidResponseError', kind: 'wrong-shape' });
  expect(codes).toEqual([]);
});
