// Covers the cache of unpacked deploys: who waits for the unpacking of another.
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createUnpackedSites } from './unpacked-sites.ts';

test('an unpacking that was aborted is begun again for others who wait for it', async () => {
  const base = await mkdtemp(join(tmpdir(), 'pressroom-unpacked-'));
  const sites = createUnpackedSites({
    directory: join(base, 'content'),
    workDirectory: join(base, 'work'),
    limit: Infinity,
    clock: { now: () => 1 },
    log: pino({ level: 'silent' }),
    removeTree: (path) => rm(path, { recursive: true, force: true }),
    onGone: () => undefined,
  });
  const stopped = new AbortController();
  const aborted = async () => {
    if (!stopped.signal.aborted) await once(stopped.signal, 'abort');
    throw stopped.signal.reason;
  };
  const first = sites.hold('guid', 'site', aborted, stopped.signal);
  const fill = async (directory: string) => {
    await mkdir(directory);
    return 1;
  };
  const second = sites.hold('guid', 'site', fill);
  stopped.abort(new Error('the process is to stop'));
  await expect(first).rejects.toThrow('the process is to stop');
  expect((await second).root).toBe(join(base, 'content', 'guid', 'site'));
  await sites.evict();
  await rm(base, { recursive: true });
});
