// Covers how git connects to a repository.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGitServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { newestCommit } from './fetch-commit.ts';

/** Runs commands without confinement. */
const launcher = {
  async run({ command, onLine }: Parameters<Launcher['run']>[0]) {
    const { file, args, cwd, env } = command('', '');
    const { stdout } = await promisify(execFile)(file, args, {
      cwd,
      env: { PATH: process.env['PATH'], ...env },
    });
    for (const line of stdout.trim().split('\n')) onLine(line);
    return { code: 0, signal: null, outOfMemory: false, isLost: false, message: '' };
  },
} as Pick<Launcher, 'run'> as Launcher;

test('an address of a host that refuses does not keep git from the others', async () => {
  await using git = await startGitServer();
  const sha = await git.push({ 'index.html': 'hello' });
  const directory = await mkdtemp(join(tmpdir(), 'run-git-'));
  const { port } = new URL(git.url);
  const remote = {
    url: git.url.replace('127.0.0.1', 'git.example'),
    branch: 'main',
    username: null,
    token: null,
    // Nothing listens at the first one.
    place: { host: 'git.example', port, ips: ['127.0.0.2', '127.0.0.1'] },
    ssh: null,
  } as const;
  const limits = { fetched: 1, unpacked: 1, entries: 1, timeout: 60 };
  const place = { launcher, directory, limits, signal: new AbortController().signal };
  expect(await newestCommit(place, remote)).toBe(sha);
  await rm(directory, { recursive: true });
});
