// Covers restored packages by language version: administrators list them, and remove those that no content uses.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finishedTask, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateContentRow } from '../../packages/server/src/content/store.ts';

let server: TestServer;
let admin: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.administrator();
});
afterAll(() => server[Symbol.asyncDispose]());

const path = '/v1/system/caches/runtime';

async function makeEnvironment(version: string, name: string): Promise<string> {
  const directory = join(server.running.services.environments, 'Python', version, name);
  await mkdir(join(directory, 'venv'), { recursive: true });
  await writeFile(join(directory, 'complete'), '');
  return directory;
}

test('removes unused packages, and keeps used ones and other versions', async () => {
  const { storage, environments } = server.running.services;
  // As after the first housekeeping, which removes nothing.
  await mkdir(join(environments, 'evicted'), { recursive: true });
  await makeEnvironment('3.10.1', 'unused');
  const used = await makeEnvironment('3.10.1', 'used');
  await makeEnvironment('3.11.2', 'other');
  const { guid } = (await admin.call('POST', '/v1/content', { body: { name: 'user-of-it' } })).body;
  await storage.write((tx) => updateContentRow(tx, guid, { restored: used }));

  const cache = { language: 'Python', version: '3.10.1', image_name: 'Local' };
  const list = await admin.call('GET', path);
  expect(list.body).toEqual({ caches: [cache, { ...cache, version: '3.11.2' }] });
  const dry = await admin.call('DELETE', path, { body: { ...cache, dry_run: true } });
  expect(dry.body).toEqual({ ...cache, task_id: null });
  expect(await readdir(join(environments, 'Python/3.10.1'))).toHaveLength(2);

  const { body } = await admin.call('DELETE', path, { body: { ...cache, dry_run: false } });
  const task = await finishedTask(admin, body.task_id);
  expect(task).toMatchObject({ code: 0, output: ['Removed 1 from the Python 3.10.1 cache'] });
  expect(await readdir(join(environments, 'Python/3.10.1'))).toEqual(['used']);
  expect(await readdir(join(environments, 'Python/3.11.2'))).toEqual(['other']);
  const audited = await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=500');
  const clearing = audited.body.results.filter((entry: { action: string }) => entry.action === 'clear_cache');
  expect(clearing).toEqual([
    expect.objectContaining({
      user_id: admin.guid,
      event_description: `Removing unused packages of Python 3.10.1, task ${body.task_id}`,
    }),
  ]);
});

test.each([
  [{ language: 'Python', version: '2.7' }, 404, 4],
  [{ language: 'Python', version: '../Python/3.11.2' }, 404, 4],
  [{ language: 'Cobol', version: '85' }, 400, 25],
  [{ language: 'Python', version: '3.11.2', image_name: 'elsewhere' }, 404, 4],
])('rejects %j', async (body, status, code) => {
  await makeEnvironment('3.11.2', 'other');
  expect(await admin.call('DELETE', path, { body })).toMatchObject(refused(status, code));
});

test('only administrators list and remove caches', async () => {
  const publisher = await server.person('publisher');
  expect(await publisher.call('GET', path)).toMatchObject(refused(403, 22));
  const body = { language: 'Python', version: '3.11.2' };
  expect(await publisher.call('DELETE', path, { body })).toMatchObject(refused(403, 22));
});
