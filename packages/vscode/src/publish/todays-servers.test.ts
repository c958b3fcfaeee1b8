// Covers servers of other vendors, by responses in their format: publish, republish, variables, rollback.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExtensionBench } from '../testing/bench.ts';
import { KEY, startContentServer, type ContentServer } from '../testing/content-server.ts';
import { recorded } from '../testing/fake-vscode.ts';
import { explain } from '../ui/explain.ts';

let server: ContentServer;
let bench: Awaited<ReturnType<typeof createExtensionBench>>;
beforeEach(async () => {
  recorded.reset();
  server = await startContentServer();
  bench = await createExtensionBench(server.url, KEY);
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test('publishes, publishes again, sets variables and rolls back with few requests', async () => {
  const { publisher, history, dir } = bench;
  expect(await publisher.publish(dir, { again: { server: server.url, title: 'The page' } })).toMatchObject({
    type: 'done',
  });
  server.calls.length = 0;
  expect(await publisher.publish(dir)).toMatchObject({ type: 'done' });
  const asked = server.calls.filter((call) => !call.includes('/tasks/'));
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(12);
  const [record] = await readRecords(dir);
  const content = server.contents.get(record!.guid)!;
  expect(content.bundles).toHaveLength(2);
  await history.setVariables(record!, [{ name: 'TOKEN', value: 'x' }]);
  expect(await history.variables(record!)).toEqual(['TOKEN']);
  const [newest, oldest] = await history.bundles(record!);
  expect(newest).toMatchObject({ active: true });
  // A server that cannot compare rendered pages gets no offer of pictures.
  expect(history.comparesPages(server.url)).toBe(true);
  expect(await history.numbers(record!, oldest!.id)).toBe(null);
  expect(history.comparesPages(server.url)).toBe(false);
  const target = { server: server.url, guid: record!.guid, bundle_id: oldest!.id };
  expect(await publisher.rollback(dir, target)).toMatchObject({ type: 'done' });
  expect(content.active).toBe(oldest!.id);
});

test('finds the newest bundle and the one that was live before among many', async () => {
  const { publisher, history, dir } = bench;
  await publisher.publish(dir, { again: { server: server.url } });
  const [record] = await readRecords(dir);
  const content = server.contents.get(record!.guid)!;
  const first = content.active!;
  const failed = Array.from({ length: 120 }, (_, index) => String(Number(first) + 1 + index));
  const newest = String(Number(first) + 121);
  content.bundles.push(...failed, newest);
  content.active = newest;
  const deploys = [newest, first].map((bundle_id) => ({ bundle_id, state: 'succeeded', was_live: true }));
  server.also.set(`GET /v1/content/${content.guid}/deploys`, deploys);
  expect((await history.bundles(record!))[0]).toMatchObject({ id: newest, active: true });
  expect(await history.previous(record!)).toMatchObject({ id: first });
});

test('a draft keeps the live bundle, opens below the dashboard, and goes live on request', async () => {
  const { publisher, history, dir } = bench;
  await publisher.publish(dir, { again: { server: server.url } });
  const [before] = await readRecords(dir);
  const content = server.contents.get(before!.guid)!;
  const live = content.active;
  const ending = await publisher.publish(dir, { draft: true });
  expect(ending).toMatchObject({ type: 'done' });
  expect(content.bundles).toHaveLength(2);
  expect(content.active).toBe(live);
  expect(await readRecords(dir)).toMatchObject([{ bundle_id: live }]);
  const bundle_id = content.bundles.find((id) => id !== live)!;
  const url = `${server.url}/connect/#/apps/${content.guid}/draft/${bundle_id}`;
  expect(ending).toMatchObject({ bundle_id, url, draft: { url } });
  expect(recorded.messages.at(-1)).toMatch(/^The draft of .* is ready\./);
  // A server without a list of drafts is asked only once.
  expect([await history.drafts(before!), await history.drafts(before!)]).toEqual([[], []]);
  expect(server.calls.filter((call) => call.endsWith('/drafts'))).toHaveLength(1);
  await publisher.activateDraft(dir, { server: server.url, guid: content.guid, bundle_id });
  expect(content.active).toBe(bundle_id);
  expect(await readRecords(dir)).toMatchObject([{ bundle_id }]);
});

test('rejects a draft on a server without drafts and removes its bundle', async () => {
  const { publisher, dir } = bench;
  await publisher.publish(dir, { again: { server: server.url } });
  const [content] = server.contents.values();
  const live = content!.active;
  server.also.set('GET /server_settings', { version: '2024.09.0' });
  expect(await publisher.publish(dir, { draft: true })).toMatchObject({ type: 'failed', left: [] });
  expect(recorded.messages.at(-1)).toMatch(/no drafts: the bundle would go live/);
  expect(content).toMatchObject({ active: live, bundles: [live] });
});

const rows = () => recorded.picks.at(-1)?.rows.map(({ label }) => label) ?? [];

test('reports locked content before anything is sent, and publishes it as new content', async () => {
  const { publisher, dir } = bench;
  await publisher.publish(dir, { again: { server: server.url } });
  Object.assign(server.fields, { locked: true, locked_message: 'Closing the year.' });
  server.calls.length = 0;
  expect(await publisher.publish(dir)).toBeUndefined();
  expect(rows()[0]).toMatch(/^\$\(lock\) .* is locked on the server$/);
  expect(recorded.picks[0]!.rows[0]!.detail).toMatch(/^Closing the year\. /);
  expect(server.calls.filter((call) => !call.startsWith('GET '))).toEqual([]);
  recorded.choose.push('Publish as new content');
  // One at a time: the second call does nothing while the first waits for a response.
  const both = await Promise.all([publisher.publish(dir), publisher.publish(dir)]);
  expect(both.filter((ending) => ending !== undefined)).toMatchObject([{ type: 'done' }]);
  expect(server.contents.size).toBe(2);
});

test('excludes files that may hold secrets, and does not ask again after Publish anyway', async () => {
  const { publisher, dir } = bench;
  await publisher.publish(dir, { again: { server: server.url } });
  await writeFile(path.join(dir, 'server key.pem'), 'x');
  recorded.choose.push('Exclude files that may hold secrets');
  expect(await publisher.publish(dir)).toMatchObject({ type: 'done' });
  expect(await readFile(path.join(dir, '.pressroomignore'), 'utf8')).toBe('/server\\ key.pem\n');
  await writeFile(path.join(dir, 'credentials.json'), '{}');
  recorded.choose.push('Publish anyway');
  expect(await publisher.publish(dir)).toMatchObject({ type: 'done' });
  const asked = recorded.picks.length;
  expect(await publisher.publish(dir)).toMatchObject({ type: 'done' });
  expect(recorded.picks).toHaveLength(asked);
});

test('explains that a server has no schedules', async () => {
  const { publisher, history, dir } = bench;
  await publisher.publish(dir, { again: { server: server.url } });
  const [record] = await readRecords(dir);
  const refused = await history.schedule(record!).catch(explain);
  expect(refused).toBe('The server does not offer this.');
});
