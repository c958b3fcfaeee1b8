import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedError } from '@pressroom/api/client';
import { writeRecord } from '@pressroom/api/publish';
import { afterEach, expect, test, vi } from 'vitest';
import { EventEmitter } from '../testing/fake-vscode.ts';
import type { FileChange } from './file-changes.ts';
import type { History } from './history.ts';
import { createMemory } from './memory.ts';
import { createRuns } from './runs.ts';
import { createStore, type StoreParts } from './store.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const STAGING = { server: 'https://staging.example.com', guid: 'aaaaaaaa-0000-4000-8000-000000000001' };
const PRODUCTION = { server: 'https://example.com', guid: 'aaaaaaaa-0000-4000-8000-000000000002' };

const record = (content: typeof STAGING, deployed_time: string) => ({
  ...content,
  name: 'report',
  app_mode: 'static',
  entrypoint: 'index.html',
  bundle_id: '1',
  deployed_time,
});

async function setup() {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-store-'));
  await writeFile(join(dir, 'index.html'), '<p>');
  await writeRecord(dir, record(STAGING, '2026-01-01T00:00:00Z'));
  await writeRecord(dir, record(PRODUCTION, '2026-02-01T00:00:00Z'));
  const bundles = vi.fn<History['bundles']>().mockResolvedValue([]);
  const runs = createRuns();
  const keys = new EventEmitter<object>();
  const files = new EventEmitter<FileChange>();
  const memory = createMemory(undefined);
  const all = vi.fn<() => Promise<string[]>>().mockResolvedValue([dir]);
  const folderOf = vi.fn<(dir: string) => unknown>().mockReturnValue({});
  const store = createStore({
    runs,
    memory,
    history: { bundles, drafts: async () => [] } as unknown as History,
    directories: { all, folderOf } as unknown as StoreParts['directories'],
    keys: { onDidChange: keys.event } as StoreParts['keys'],
    fileChanges: { onDidChange: files.event } as StoreParts['fileChanges'],
  });
  const changes: (string | undefined)[] = [];
  store.onDidChange((changed) => void changes.push(changed));
  ends.push(
    () => store.dispose(),
    () => rm(dir, { recursive: true }),
  );
  const begin = () => runs.begin({ dir, name: 'report', server: STAGING.server, target: 'x', text: '' });
  return { dir, store, bundles, runs, keys, files, memory, all, folderOf, changes, begin };
}

test('requests bundles once, however often progress is shown', async () => {
  const { dir, store, bundles, runs, begin } = await setup();
  await store.directories();
  await Promise.all([store.bundles(STAGING), store.bundles(STAGING)]);
  begin();
  for (let percent = 0; percent < 100; percent += 1) {
    runs.show(dir, `Uploading ${percent}`);
    await store.bundles(STAGING);
  }
  expect(bundles).toHaveBeenCalledTimes(1);
  runs.end(dir, { state: 'done', text: 'Live', url: 'https://x' });
  await store.bundles(STAGING);
  expect(bundles).toHaveBeenCalledTimes(2);
});

test('requests bundles once while the record of an ended run is read', async () => {
  const { dir, store, bundles, runs, begin } = await setup();
  await store.directories();
  await store.bundles(STAGING);
  begin();
  const file = (await store.directories())[0]!.targets.find(({ guid }) => guid === STAGING.guid)!.file;
  await writeRecord(dir, { ...record(STAGING, '2026-03-01T00:00:00Z'), bundle_id: '2' }, file);
  runs.end(dir, { state: 'done', text: 'Live', url: 'https://x' });
  await store.bundles(STAGING);
  await store.directories();
  await store.bundles(STAGING);
  expect(bundles).toHaveBeenCalledTimes(2);
});

test('shows an ended run together with the record that it wrote', async () => {
  const { dir, store, runs, begin } = await setup();
  await store.directories();
  begin();
  await writeRecord(dir, { ...record(PRODUCTION, '2026-03-01T00:00:00Z'), bundle_id: '2' });
  runs.end(dir, { state: 'done', text: 'Live', url: 'https://x' });
  const [state] = await store.directories();
  expect(store.run(dir)?.text).toBe('Live');
  expect(state?.active?.bundle_id).toBe('2');
});

test('requests bundles again after sign-in, sign-out and refresh', async () => {
  const { store, bundles, keys } = await setup();
  await store.bundles(STAGING);
  keys.fire({});
  await store.bundles(STAGING);
  store.refresh();
  await store.bundles(STAGING);
  expect(bundles).toHaveBeenCalledTimes(3);
});

test('requests bundles again only for the target whose record changed', async () => {
  const { dir, store, bundles, files } = await setup();
  await store.directories();
  await Promise.all([store.bundles(STAGING), store.bundles(PRODUCTION)]);
  const [older] = (await store.directories())[0]!.targets.filter(({ guid }) => guid === STAGING.guid);
  const file = await writeRecord(dir, { ...older!, bundle_id: '2' }, older!.file);
  files.fire({ uri: {} as never, file, kind: 'changed' });
  await expect.poll(() => store.known()[0]?.targets.map(({ bundle_id }) => bundle_id)).toContain('2');
  await Promise.all([store.bundles(STAGING), store.bundles(PRODUCTION)]);
  expect(bundles.mock.calls.map(([{ guid }]) => guid)).toEqual([STAGING.guid, PRODUCTION.guid, STAGING.guid]);
});

test('the newest target is active until another one is chosen, which stays active', async () => {
  const { dir, store, changes } = await setup();
  const active = async () => (await store.directories())[0]?.active?.server;
  expect(await active()).toBe(PRODUCTION.server);
  store.activate(dir, STAGING);
  expect(await active()).toBe(STAGING.server);
  expect(changes).toEqual([dir]);
  await writeRecord(dir, record({ ...PRODUCTION, guid: STAGING.guid }, '2026-03-01T00:00:00Z'));
  await store.reload(dir);
  expect(await active()).toBe(STAGING.server);
});

test('reports the choice of another target, but not of the same one', async () => {
  const { dir, store } = await setup();
  await store.directories();
  const chosen: string[] = [];
  store.onDidActivate((which) => void chosen.push(which));
  store.activate(dir, PRODUCTION);
  expect(chosen).toEqual([]);
  store.activate(dir, STAGING);
  expect(chosen).toEqual([dir]);
});

test('reads a record again that changes on disk, and nothing else', async () => {
  const { dir, store, files, all } = await setup();
  await store.directories();
  const file = await writeRecord(dir, { ...record(STAGING, '2026-03-01T00:00:00Z'), target: 'staging' });
  files.fire({ uri: {} as never, file, kind: 'changed' });
  await expect.poll(() => store.known()[0]?.targets.map(({ target }) => target)).toContain('staging');
  files.fire({ uri: {} as never, file: join(dir, 'index.html'), kind: 'changed' });
  expect(all).toHaveBeenCalledTimes(1);
});

test('reads the records again when their folder is deleted', async () => {
  const { dir, store, files } = await setup();
  await store.directories();
  const folder = join(dir, '.pressroom/deployments');
  await rm(folder, { recursive: true });
  files.fire({ uri: {} as never, file: folder, kind: 'deleted' });
  await expect.poll(() => store.known()[0]?.targets).toEqual([]);
});

test('drops a renamed directory once its publish has ended', async () => {
  const { dir, store, all, runs, changes, begin } = await setup();
  await store.directories();
  begin();
  const moved = `${dir}-moved`;
  await rename(dir, moved);
  all.mockResolvedValue([moved]);
  store.refresh();
  expect((await store.directories()).map((state) => state.dir)).toEqual([moved, dir]);
  runs.end(dir, { state: 'done', text: 'Live', url: '' });
  await expect.poll(() => changes.at(-1)).toBe(undefined);
  expect((await store.directories()).map((state) => state.dir)).toEqual([moved]);
  await rename(moved, dir);
});

test('shows a folder removed from the workspace until its publish has ended', async () => {
  const { dir, store, all, runs, begin, folderOf } = await setup();
  await store.directories();
  begin();
  all.mockResolvedValue([]);
  folderOf.mockReturnValue(undefined);
  store.refresh();
  expect(await store.directories()).toHaveLength(1);
  runs.end(dir, { state: 'done', text: 'Live', url: '' });
  await expect.poll(() => store.directories()).toEqual([]);
});

test('a published directory keeps its place in the list', async () => {
  const { dir, store, runs, all, begin } = await setup();
  const other = await mkdtemp(join(tmpdir(), 'pressroom-store-'));
  ends.push(() => rm(other, { recursive: true }));
  all.mockResolvedValue([dir, other]);
  begin();
  runs.end(dir, { state: 'done', text: 'Live', url: 'https://x' });
  expect((await store.directories()).map((state) => state.dir)).toEqual([dir, other]);
});

test('treats a rejected key as signed out', async () => {
  const { store, bundles } = await setup();
  const context = { operation: 'getBundles', server: STAGING.server, payload: null, message: 'no' };
  bundles.mockRejectedValue(new RefusedError({ ...context, status: 401, code: 24 }));
  expect(await store.bundles(STAGING)).toEqual({ state: 'signed-out' });
  bundles.mockRejectedValue(new RefusedError({ ...context, status: 403, code: 22 }));
  expect(await store.bundles(PRODUCTION)).toMatchObject({ state: 'failed' });
});

test('checks that are asked for while one runs read nothing twice', async () => {
  const { dir, store, changes } = await setup();
  await store.directories();
  await writeRecord(dir, { ...record(PRODUCTION, '2026-03-01T00:00:00Z'), bundle_id: '2' });
  // A disk that takes longer to answer than checks are apart.
  await Promise.all([store.check(), store.check(), store.check()]);
  expect(changes).toEqual([dir]);
  await writeRecord(dir, { ...record(PRODUCTION, '2026-03-02T00:00:00Z'), bundle_id: '33' });
  await store.check();
  expect(changes).toEqual([dir, dir]);
});

test('finds records that changed without an event, once', async () => {
  const { dir, store, changes } = await setup();
  await store.directories();
  changes.length = 0;
  await store.check();
  expect(changes).toEqual([]);
  await writeRecord(dir, { ...record(STAGING, '2026-03-01T00:00:00Z'), bundle_id: '12' });
  await store.check();
  await store.check();
  expect(changes).toEqual([dir]);
  expect(store.known()[0]!.targets.map(({ bundle_id }) => bundle_id)).toEqual(['12', '1']);
  await rm(join(dir, '.pressroom/deployments'), { recursive: true });
  await store.check();
  expect(store.known()[0]!.targets).toEqual([]);
});
