// Covers private directories below the world-writable /tmp: no other account can insert its own.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, open, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemIds } from '../../platform/clock.ts';
import { createLocalStarter } from './local-starter.ts';
import { removeTree } from './remove-tree.ts';
import { openRunDirectory, supervisorSocket } from './run-directory.ts';

let dataDir: string;
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'pressroom-run-'))));
afterEach(() => removeTree(dataDir));

const start = (isAlone: boolean) =>
  createLocalStarter({
    dataDir,
    isAlone,
    mode: 'off',
    runAs: '',
    id: systemIds().taskId(),
    memory: 0,
    processes: 0,
    disk: 0,
    hidden: [],
    network: false,
  });

it('removes leftovers of a crashed server but keeps the shared directory itself', async () => {
  const first = await start(true);
  const shared = dirname(first.directory);
  await mkdir(join(first.directory, 'left'));
  // Held open, so that the inode number is not reused.
  await using held = await open(shared);
  await using second = await start(true);
  expect((await stat(shared)).ino).toBe((await held.stat()).ino);
  expect(await readdir(shared)).toEqual([second.directory.slice(shared.length + 1)]);
});

it('removes what a killed server left while others run, and knows its processes', async () => {
  const first = await start(false);
  const [shared, left] = [dirname(first.directory), join(dirname(first.directory), 'left')];
  // As of a server without its process: nobody holds it.
  await cp(first.directory, left, { recursive: true });
  await mkdir(join(left, 'process'));
  await using second = await openRunDirectory({ dataDir, isAlone: false, id: 'second' });
  expect(second.left).toContain('process');
  expect((await readdir(shared)).toSorted()).toEqual([basename(first.directory), 'second'].toSorted());
  await first[Symbol.asyncDispose]();
});

it('servers of one data directory start and stop at the same time', async () => {
  const child = `
    const { openRunDirectory } = await import(${JSON.stringify(join(import.meta.dirname, 'run-directory.ts'))});
    for (let round = 0; round < 40; round += 1) {
      const id = process.pid + '-' + round;
      await using own = await openRunDirectory({ dataDir: ${JSON.stringify(dataDir)}, isAlone: false, id });
      await own.makePrivate('process', null);
    }`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', child]);
  const ended = await Promise.all([run(), run(), run()]);
  expect(ended.map(({ stderr }) => stderr)).toEqual(['', '', '']);
});

it('refuses a second start and keeps all files while a supervisor runs', async () => {
  await using first = await start(true);
  const socket = supervisorSocket(first.directory);
  await mkdir(dirname(socket));
  await using supervisor = createServer().listen(socket);
  await once(supervisor, 'listening');
  await expect(start(true)).rejects.toThrow(`another server uses ${dataDir}`);
  expect((await stat(socket)).isSocket()).toBe(true);
});

it('keeps the directory of a supervisor that has bound its socket and does not listen yet', async () => {
  await using starting = await start(false);
  await using first = await start(false);
  const socket = supervisorSocket(starting.directory);
  await mkdir(dirname(socket));
  // Connecting fails as for a socket between both calls.
  await writeFile(socket, '');
  await first.removeLeftovers();
  expect((await stat(starting.directory)).isDirectory()).toBe(true);
});

it('rejects a run directory that others can write, or a link in its place', async () => {
  const first = await start(true);
  const shared = dirname(first.directory);
  await chmod(shared, 0o777);
  await expect(start(true)).rejects.toThrow('belongs to somebody else');
  await expect(start(false)).rejects.toThrow('belongs to somebody else');
  await removeTree(shared);
  await symlink(dataDir, shared);
  await expect(start(true)).rejects.toThrow('belongs to somebody else');
  await removeTree(shared);
});
