import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { earlierState } from './earlier-state.ts';
import { createMemory, type Unfinished } from './memory.ts';

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

async function file(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-memory-'));
  dirs.push(dir);
  return join(dir, 'storage', 'state.json');
}

const deploy: Unfinished = {
  dir: '/a',
  name: 'a',
  server: 'https://x.example.com',
  guid: 'g',
  bundle_id: '1',
  task_id: 'T',
  ownBundle: true,
};

const upload = { dir: '/a', server: 'https://x.example.com', guid: 'g' };

test('restores choices, uploads and deploys in the next window', async () => {
  const path = await file();
  const before = createMemory(path);
  before.choose('/a', { server: 'https://x.example.com', type: 'static' });
  before.uploading(upload);
  await before.settled();
  expect(createMemory(path).interrupted()).toEqual([upload]);
  before.begun(deploy);
  await before.settled();
  const after = createMemory(path);
  expect(after.choice('/a')).toEqual({ server: 'https://x.example.com', type: 'static' });
  expect(after.unfinished()).toEqual([deploy]);
  expect(after.interrupted()).toEqual([]);
  after.ended('/a');
  await after.settled();
  expect(createMemory(path).unfinished()).toEqual([]);
});

test('treats a damaged file as missing, and works in memory without one', async () => {
  const path = await file();
  const before = createMemory(path);
  before.uploading(upload);
  await before.settled();
  await writeFile(path, '{"choices":');
  expect(createMemory(path).interrupted()).toEqual([]);
  const loose = createMemory(undefined);
  loose.begun(deploy);
  expect(loose.unfinished()).toEqual([deploy]);
});

test('reports a failed write and keeps the state in memory', async () => {
  const path = join(await file(), 'below/a/file');
  await mkdir(dirname(dirname(dirname(path))), { recursive: true });
  await writeFile(dirname(dirname(path)), '');
  const told: unknown[] = [];
  const memory = createMemory(path, (error) => told.push(error));
  memory.begun(deploy);
  await memory.settled();
  expect(told).toEqual([expect.objectContaining({ code: 'ENOTDIR' })]);
  expect(memory.unfinished()).toEqual([deploy]);
});

test('takes the newest state of other workspaces for its directories when it has none', async () => {
  const all = dirname(dirname(await file()));
  const stateOf = (workspace: string) => join(all, workspace, 'storage/state.json');
  const own = stateOf('own');
  const contentOf = (guid: string) => ({ server: 'https://x.example.com', guid });
  for (const name of ['newer', 'older']) {
    const memory = createMemory(stateOf(name));
    memory.aim('/a', contentOf(name));
    memory.aim('/elsewhere', contentOf(name));
    memory.begun({ ...deploy, task_id: name });
    await memory.settled();
  }
  await utimes(stateOf('older'), new Date(0), new Date(0));
  const memory = createMemory(own, undefined, () => earlierState(own, (dir) => dir === '/a'));
  expect(memory.target('/a')).toEqual(contentOf('newer'));
  expect(memory.target('/elsewhere')).toBeUndefined();
  expect(memory.unfinished()).toEqual([{ ...deploy, task_id: 'newer' }]);
  memory.ended('/a');
  await memory.settled();
  expect(createMemory(own, undefined, () => earlierState(own, () => true)).unfinished()).toEqual([]);
});
