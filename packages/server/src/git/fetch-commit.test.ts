import { expect, test } from 'vitest';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { fetchCommit } from './fetch-commit.ts';

const REMOTE = {
  url: 'https://git.example/a',
  branch: 'main',
  username: null,
  token: null,
  place: { host: 'git.example', port: '443', ips: ['192.0.2.1'] },
  ssh: null,
} as const;

test.each([
  ['2026-05-31T18:30:00+02:00', '2026-05-31T16:30:00.000Z'],
  // git prints any year.
  ['10000-01-01T00:00:00+00:00', '9999-12-31T23:59:59.000Z'],
])('a commit of %s has the time %s', async (printed, time) => {
  const launcher = {
    async run({ onLine }: Parameters<Launcher['run']>[0]) {
      for (const line of ['', 'a'.repeat(40), 'Ada', 'Subject', printed]) onLine(`fetched ${line}`.trimEnd());
      onLine('warning: filtering not recognized by server, ignoring');
      return { code: 0, signal: null, outOfMemory: false, isLost: false, message: '' };
    },
  } as Pick<Launcher, 'run'> as Launcher;
  const limits = { fetched: 1, unpacked: 1, entries: 1, timeout: 10 };
  const place = { launcher, directory: '/', limits, signal: new AbortController().signal };
  expect(await fetchCommit(place, REMOTE, 'site', 'whole')).toMatchObject({
    author: 'Ada',
    subject: 'Subject',
    time,
    tree: null,
  });
});

test('a host that serves the files of a repository only is named as such', async () => {
  const launcher = {
    async run({ onLine }: Parameters<Launcher['run']>[0]) {
      onLine('fatal: dumb http transport does not support shallow capabilities');
      return { code: 128, signal: null, outOfMemory: false, isLost: false, message: '' };
    },
  } as Pick<Launcher, 'run'> as Launcher;
  const limits = { fetched: 1, unpacked: 1, entries: 1, timeout: 10 };
  const place = { launcher, directory: '/', limits, signal: new AbortController().signal };
  await expect(fetchCommit(place, REMOTE, 'site', 'whole')).rejects.toThrow(
    "unreachable: https://git.example/a serves files only, without Git's smart HTTP",
  );
});
