// Covers monitoring: health for anyone who reaches the server, metrics on their own port.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { freePort, publish, startTestServer, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let port: number;
beforeAll(async () => {
  port = await freePort();
  server = await startTestServer({ settings: { 'Metrics.PrometheusListen': `127.0.0.1:${port}` } });
});
afterAll(() => server[Symbol.asyncDispose]());

async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const samples = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

const count = (method: string, route: string, status: number) =>
  `pressroom_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

test('health checks require no sign-in and reveal nothing else', async () => {
  const live = await server.anonymous('GET', '//__health__/live');
  expect([live.status, live.body]).toEqual([200, { status: 'ok' }]);
  const ready = await server.anonymous('GET', '//__health__/ready');
  expect([ready.status, ready.body]).toEqual([200, { status: 'ok', database: 'ok' }]);
});

test('returns 404 to a malformed path', async () => {
  const asked = request({ host: '127.0.0.1', port, path: '//' });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  asked.end();
  const [response] = await answered;
  response.resume();
  expect(response.statusCode).toBe(404);
});

test('requests are counted by route, and content as one route', async () => {
  const person = await server.person('publisher');
  const { guid } = await publish(person, { 'index.html': 'seen' });
  await person.call('GET', `/v1/content/${guid}`);
  await server.anonymous('GET', `/v1/content/${guid}`);
  await person.call('GET', `//content/${guid}/`);
  await server.anonymous('GET', '//__no_such_page__');
  await expect.poll(async () => [...(await scrape()).keys()]).toContain(count('GET', 'none', 404));
  const all = await scrape();
  expect(all.get(count('GET', '/__api__/v1/content/:guid', 200))).toBeGreaterThanOrEqual(1);
  expect(all.get(count('GET', '/__api__/v1/content/:guid', 401))).toBe(1);
  expect(all.get(count('GET', 'content', 200))).toBeGreaterThanOrEqual(1);
  expect([...all.keys()].filter((name) => name.includes(guid))).toEqual([]);
  expect(all.get('pressroom_tasks_finished_total{kind="deploy",result="success"}')).toBe(1);
  expect(all.get('pressroom_task_duration_seconds_count{kind="deploy"}')).toBe(1);
});

test('a task that somebody cancels counts as cancelled, not as a failure', async () => {
  const person = await server.person('publisher');
  const { guid } = await publish(person, { 'index.html': 'seen' });
  const { storage, tasks } = server.running.services;
  const subject = { kind: 'deploy', content_guid: guid, bundle_id: 1, user_guid: person.guid } as const;
  const id = await storage.write((tx) => tasks.create(tx, subject));
  await person.call('POST', `/v1/tasks/${id}/cancel`);
  await tasks.run(id, async () => async () => undefined);
  const all = await scrape();
  expect(all.get('pressroom_tasks_finished_total{kind="deploy",result="cancelled"}')).toBe(1);
  expect(all.has('pressroom_tasks_finished_total{kind="deploy",result="failure"}')).toBe(false);
});

test('metrics include memory, event loop, disk and database connections', async () => {
  const all = await scrape();
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(all.get(name)).toBeGreaterThan(0);
  expect(all.get('pressroom_disk_free_bytes')).toBeGreaterThan(0);
  expect(all.get('pressroom_draining')).toBe(0);
  const { isShared } = server.running.services.storage;
  expect(all.has('pressroom_database_connections{state="open"}')).toBe(isShared);
  // Queries of the metrics themselves do not count.
  expect(all.get('pressroom_database_connections{state="waiting"}') ?? 0).toBe(0);
});

test('metrics are served only on their own port, without anything else', async () => {
  expect((await fetch(`http://127.0.0.1:${port}/__api__/v1/user`)).status).toBe(404);
  expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
  const response = await server.anonymous('GET', '//metrics');
  expect(String(response.body)).not.toContain('pressroom_http');
});
