// Covers what servers remove of each other: the work of one that was killed, and nothing of one that runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createDirectoryBlobStore } from '../platform/blobs/directory-blob-store.ts';
import { removeLeft } from './remove-left.ts';

const HELD = join(import.meta.dirname, '../platform/held-directory.ts');
const PROGRAM = `
const { holdDirectory } = await import(${JSON.stringify(HELD)});
globalThis.held = holdDirectory(process.argv[1]);
console.log('holds');
setInterval(() => undefined, 1e6);
`;

test('work, unpacked files and uploads of a server are removed once it is killed, those of others stay', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-left-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const [sharedWork, sharedUnpacking] = [join(directory, 'work'), join(directory, 'unpacking')];
  await mkdir(sharedWork);
  const bundles = join(directory, 'bundles');
  const start = async (name: string) => {
    const args = ['--input-type=module', '-e', PROGRAM, join(sharedWork, name)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    stack.defer(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    for (const place of [sharedWork, sharedUnpacking])
      await mkdir(join(place, name, 'git-1'), { recursive: true });
    const upload = await createDirectoryBlobStore(bundles, name).reserve();
    await writeFile(upload.target, 'half');
    return child;
  };
  const left = () => Promise.all([sharedWork, sharedUnpacking, bundles].map((place) => readdir(place)));
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  const sweep = () =>
    removeLeft({
      blobs: createDirectoryBlobStore(bundles, 'server-c'),
      paths: { sharedWork, sharedUnpacking },
      launcher: { remove },
      log: pino({ level: 'silent' }),
    });
  const killed = await start('server-a');
  await start('server-b');
  await sweep();
  expect((await left()).map(({ length }) => length)).toEqual([2, 2, 2]);

  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await sweep();
  expect(await left()).toEqual([['server-b'], ['server-b'], [expect.stringMatching(/^server-b\./)]]);
});
