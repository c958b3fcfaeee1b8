// Covers how git connects to a repository.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { startGitServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { HOSTS_ONLY } from '../runtime/sandbox/hosts.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import type { Place } from './address.ts';
import { newestCommit } from './fetch-commit.ts';

/** Runs commands without confinement. @param path where their programs are */
const launcherWith = (path = process.env['PATH']) =>
  ({
    async run({ command, onLine }: Parameters<Launcher['run']>[0]) {
      const { file, args, cwd, env } = command('', '');
      const { stdout, code } = await promisify(execFile)(file, args, {
        cwd,
        env: { PATH: path, ...env },
      }).then(
        (ran) => ({ ...ran, code: 0 }),
        (error: { stdout: string; code: number }) => error,
      );
      for (const line of stdout.trim().split('\n')) onLine(line);
      return { code, signal: null, outOfMemory: false, isLost: false, message: '' };
    },
  }) as Pick<Launcher, 'run'> as Launcher;

/** Reads the newest commit from a server at these addresses. */
async function readFrom(url: string, place: Place, launcher = launcherWith()): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'run-git-'));
  const remote = { url, branch: 'main', username: null, token: null, place, ssh: null };
  const limits = { fetched: 1, unpacked: 1, entries: 1, timeout: 60 };
  try {
    return await newestCommit({ launcher, directory, limits, signal: new AbortController().signal }, remote);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('an address of a host that refuses does not keep git from the others', async () => {
  await using git = await startGitServer();
  const sha = await git.push({ 'index.html': 'hello' });
  const { port } = new URL(git.url);
  const url = git.url.replace('127.0.0.1', 'git.example');
  // Nothing listens at the first one.
  const ips = ['127.0.0.2', '127.0.0.1'] as const;
  expect(await readFrom(url, { host: 'git.example', port, ips })).toBe(sha);
});

test('a repository is read whose address has a number of IPv6 for a name', async () => {
  await using git = await startGitServer();
  const sha = await git.push({ 'index.html': 'hello' });
  const { port } = new URL(git.url);
  const front = createServer((socket) => {
    const behind = connect(Number(port), '127.0.0.1');
    void pipeline(socket, behind, socket).catch(() => undefined);
  }).listen(0, '::1');
  await once(front, 'listening');
  const { port: own } = front.address() as AddressInfo;
  const url = `http://[::1]:${own}/reports.git`;
  expect(await readFrom(url, { host: '::1', port: String(own), ips: ['::1'] })).toBe(sha);
  front.close();
});

test('a git that does not know how to fix addresses connects to nothing, unless it finds no others', async () => {
  const old = await mkdtemp(join(tmpdir(), 'old-git-'));
  const asked = join(old, 'asked');
  const program = `#!/bin/sh\nif [ "$1" = help ]; then echo http.followRedirects; else touch ${asked}; fi\n`;
  await writeFile(join(old, 'git'), program, { mode: 0o755 });
  const launcher = launcherWith(`${old}:${process.env['PATH']}`);
  const place = { host: 'git.example', port: '443', ips: ['192.0.2.1'] } as const;
  await expect(readFrom('https://git.example/a', place, launcher)).rejects.toThrow('git is older than 2.37');
  expect(existsSync(asked)).toBe(false);
  // Confined, where only the checked addresses can be found.
  const confined = await mkdtemp(join(tmpdir(), 'confined-'));
  await writeFile(join(confined, 'cat'), `#!/bin/sh\necho '${HOSTS_ONLY}'\n`, { mode: 0o755 });
  const within = launcherWith(`${confined}:${old}:${process.env['PATH']}`);
  await expect(readFrom('https://git.example/a', place, within)).rejects.toThrow('no such branch');
  expect(existsSync(asked)).toBe(true);
  await rm(old, { recursive: true });
  await rm(confined, { recursive: true });
});

test('a branch whose name ends like the wanted reference is another one', async () => {
  await using git = await startGitServer();
  await git.push({ 'index.html': 'other' }, { branch: 'a/refs/heads/main' });
  const { port } = new URL(git.url);
  const place = { host: '127.0.0.1', port, ips: ['127.0.0.1'] } as const;
  await expect(readFrom(git.url, place)).rejects.toThrow(/^no such branch/);
  const sha = await git.push({ 'index.html': 'hello' });
  expect(await readFrom(git.url, place)).toBe(sha);
});
