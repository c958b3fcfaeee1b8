// Covers what helpers leave when they cannot start: nothing.
import { existsSync } from 'node:fs';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { startDaemon } from './identity/daemon.ts';
import { startTestServer } from './test-server.ts';

test.each([
  ['ends at once', () => ['/bin/false'] as const],
  ['does not exist', () => ['/no/such/program'] as const],
  [
    'cannot be prepared',
    () => {
      throw new Error('no certificate');
    },
  ],
])('a daemon that %s leaves no directory', async (_what, prepare) => {
  let directory = '';
  const starting = startDaemon('left-behind', await freePort(), (made) => {
    directory = made;
    return prepare();
  });
  await expect(starting).rejects.toThrow(/did not start|no certificate/);
  expect(existsSync(directory)).toBe(false);
});

test('a server that does not start leaves no directory', async () => {
  await using parent = await mkdtempDisposable(join(tmpdir(), 'pressroom-left-behind-'));
  vi.stubEnv('TMPDIR', parent.path);
  const starting = startTestServer({ settings: { 'HTTP.Listen': '192.0.2.1:1' }, engine: 'sqlite' });
  await expect(starting).rejects.toThrow();
  vi.unstubAllEnvs();
  expect(await readdir(parent.path)).toEqual([]);
});
