import { afterEach, describe, expect, test } from 'vitest';
import type { Notice } from './client.ts';
import { createClient } from './create-client.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { startFakeServer, TEST_KEY, type Responder } from './testing/fake-server.ts';
import { json, refuse } from './testing/responses.ts';

const cleanups: AsyncDisposable[] = [];
afterEach(async () => {
  for (const item of cleanups.splice(0).toReversed()) await item[Symbol.asyncDispose]();
});

async function setup(retries?: number) {
  const fake = await startFakeServer();
  const clock = createFakeClock();
  const notices: Notice[] = [];
  const client = createClient({
    url: fake.url,
    apiKey: TEST_KEY,
    clock,
    onNotice: (notice) => notices.push(notice),
    ...(retries !== undefined && { retries }),
  });
  cleanups.push(fake, client);
  return { fake, client, clock, notices };
}

const page: Responder = (_request, response) => response.writeHead(503).end('<html>busy</html>');
const busy =
  (status: number, retryAfter?: string): Responder =>
  (_request, response) =>
    json(
      response,
      status,
      { code: null, error: 'busy' },
      retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    );

describe('GET requests', () => {
  test.each([
    ['a broken connection', ((_request, response) => response.destroy()) as Responder],
    [
      'a truncated response',
      ((_request, response) => response.write('{', () => response.destroy())) as Responder,
    ],
    ['503', busy(503)],
    ['429', busy(429)],
    ['the 503 page of a proxy', page],
  ])('are retried after %s', async (_name, responder) => {
    const { fake, client, clock, notices } = await setup();
    fake.once('GET', /user$/, responder);
    expect((await client.getCurrentUser()).username).toBe('ada');
    expect(fake.requests).toHaveLength(2);
    expect(clock.sleeps).toHaveLength(1);
    expect(notices).toMatchObject([{ kind: 'retry', operation: 'getCurrentUser', attempt: 1 }]);
  });

  test('are retried with growing delays and then fail', async () => {
    const { fake, client, clock } = await setup(4);
    fake.on('GET', /user$/, (_request, response) => response.destroy());
    await expect(client.getCurrentUser()).rejects.toMatchObject({ kind: 'reset' });
    expect(fake.requests).toHaveLength(5);
    expect(clock.sleeps).toEqual([188, 375, 750, 1500]);
  });

  test.each([
    ['7', 7000],
    ['Sun, 01 Mar 2026 12:00:09 GMT', 9000],
    ['0', 188],
    ['nonsense', 188],
  ])('are retried after the delay of Retry-After: %s', async (header, expected) => {
    const { fake, client, clock } = await setup();
    fake.once('GET', /user$/, busy(429, header));
    await client.getCurrentUser();
    expect(clock.sleeps).toEqual([expected]);
  });

  test('are not retried when Retry-After is an hour', async () => {
    const { fake, client, clock } = await setup();
    fake.on('GET', /user$/, busy(503, '3600'));
    await expect(client.getCurrentUser()).rejects.toMatchObject({ status: 503, retryAfter: 3_600_000 });
    expect(clock.sleeps).toEqual([]);
  });

  test.each([400, 401, 404, 500])('are not retried after %i', async (status) => {
    const { fake, client } = await setup();
    fake.on('GET', /user$/, (_request, response) => refuse(response, status, 1));
    await expect(client.getCurrentUser()).rejects.toMatchObject({ status });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('Requests that change something', () => {
  test.each([
    ['a broken connection', ((_request, response) => response.destroy()) as Responder],
    ['503 with Retry-After', busy(503, '1')],
  ])('are not retried after %s', async (_name, responder) => {
    const { fake, client } = await setup();
    fake.on('POST', /groups/, responder);
    await expect(client.createGroup({ name: 'team' })).rejects.toThrow();
    expect(fake.requests).toHaveLength(1);
  });

  test('are retried when the connection was refused, since nothing was sent', async () => {
    const fake = await startFakeServer();
    const { url } = fake;
    await fake.close();
    const clock = createFakeClock();
    await using client = createClient({ url, apiKey: TEST_KEY, clock });
    await expect(client.createGroup({ name: 'team' })).rejects.toMatchObject({ kind: 'refused' });
    expect(clock.sleeps).toHaveLength(3);
  });
});
