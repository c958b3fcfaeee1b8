// Covers reading the requirements of a bundle while processes of its content may change it.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { readRequirements } from './python-requirements.ts';

const READINGS = 3000;

async function makeBundle(): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'pressroom-requirements-'));
  onTestFinished(() => rm(work, { recursive: true }));
  for (const name of ['bundle/real', 'elsewhere']) await mkdir(join(work, name), { recursive: true });
  await writeFile(join(work, 'bundle/real/list.txt'), 'of-the-bundle\n');
  await writeFile(join(work, 'elsewhere/list.txt'), 'of-other-content\n');
  await symlink('../elsewhere', join(work, 'bundle/link'));
  return join(work, 'bundle');
}

test('reads requirements in directories, but not through links', async () => {
  const bundle = await makeBundle();
  expect((await readRequirements(bundle, 'real/list.txt'))?.lines).toEqual(['of-the-bundle', '']);
  await expect(readRequirements(bundle, 'link/list.txt')).rejects.toMatchObject({ code: 38 });
  await expect(readRequirements(bundle, 'none/list.txt')).rejects.toThrow('the bundle has no file');
});

test('reads nothing elsewhere when a directory is replaced by a link meanwhile', async () => {
  const bundle = await makeBundle();
  const swapping = `const { renameSync } = require('node:fs');
  const [sub, ...others] = ['sub', 'real', 'link'].map((name) => ${JSON.stringify(bundle)} + '/' + name);
  for (;;)
    for (const name of others) {
      renameSync(name, sub);
      renameSync(sub, name);
    }`;
  const worker = new Worker(swapping, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  const found = new Set<string | undefined>();
  // On a busy machine, many readings in a row may meet no directory.
  for (let i = 0; i < READINGS || !found.has('of-the-bundle'); i += 1)
    found.add((await readRequirements(bundle, 'sub/list.txt').catch(() => null))?.lines[0]);
  expect(found).not.toContain('of-other-content');
});
