// Covers the cache of unpacked deploys: content that is deleted, and who waits for the unpacking of another.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { createUnpackedSites } from './unpacked-sites.ts';

async function open(room = () => 2 ** 30, running: readonly number[] = []) {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-unpacked-'));
  const contents = join(directory, 'contents');
  const onGone = vi.fn();
  const sites = createUnpackedSites({
    directory: contents,
    workDirectory: join(directory, 'work'),
    isOwn: (name) => name !== 'served',
    limit: 2 ** 30,
    room: async () => room(),
    clock: systemClock(),
    log: pino({ level: 'silent' }),
    removeTree: (path) => rm(path, { recursive: true, force: true }),
    bundlesThatRun: async () => running,
    onGone,
  });
  return {
    sites,
    onGone,
    content: join(contents, 'c'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

async function fill(directory: string): Promise<number> {
  await mkdir(directory);
  await writeFile(join(directory, 'index.html'), 'secret');
  return 6;
}

test('files of deleted content that a visitor reads go with the last one', async () => {
  await using rig = await open();
  const { sites, content } = rig;
  const [one, two] = [await sites.hold('c', '1-a', fill), await sites.hold('c', '1-a', fill)];
  (await sites.hold('c', '2-b', fill))[Symbol.dispose]();
  await sites.forget('c');
  expect([existsSync(one.root), existsSync(join(content, '2-b'))]).toEqual([true, false]);
  one[Symbol.dispose]();
  expect(existsSync(two.root)).toBe(true);
  two[Symbol.dispose]();
  await expect.poll(() => readdir(content)).toEqual([]);
  expect(rig.onGone).toHaveBeenCalledWith(two.root);
});

test('files that are unpacked while their content is deleted go, too', async () => {
  await using rig = await open();
  const { sites, content } = rig;
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const holding = sites.hold('c', '1-a', async (directory) => {
    begun.resolve();
    await goOn.promise;
    return fill(directory);
  });
  await begun.promise;
  await sites.forget('c');
  goOn.resolve();
  const held = await holding.catch(() => null);
  held?.[Symbol.dispose]();
  await expect.poll(() => readdir(content)).toEqual([]);
});

test('an unpacking that was aborted is begun again for others who wait for it', async () => {
  await using rig = await open();
  const { sites, content } = rig;
  const stopped = new AbortController();
  const aborted = async () => {
    if (!stopped.signal.aborted) await once(stopped.signal, 'abort');
    throw stopped.signal.reason;
  };
  const first = sites.hold('c', '1-a', aborted, stopped.signal);
  const second = sites.hold('c', '1-a', fill);
  stopped.abort(new Error('the process is to stop'));
  await expect(first).rejects.toThrow('the process is to stop');
  expect((await second).root).toBe(join(content, '1-a'));
});

test('what was used longest ago goes when the disk has no room for it, but for what is held or not of the cache', async () => {
  await using rig = await open(() => 12);
  const { sites, content } = rig;
  await mkdir(content, { recursive: true });
  await fill(join(content, 'served'));
  const first = await sites.hold('c', 'rev-1', fill);
  for (const name of ['rev-2', 'rev-3', 'rev-4']) {
    (await sites.hold('c', name, fill))[Symbol.dispose]();
    await sites.evict();
  }
  expect((await readdir(content)).toSorted()).toEqual(['rev-1', 'rev-4', 'served']);
  first[Symbol.dispose]();
});

test('what a server with the same directory runs stays, however long ago this one used it', async () => {
  await using rig = await open(() => 6, [1]);
  const { sites, content } = rig;
  for (const name of ['1-a', '2-b', '3-c']) {
    (await sites.hold('c', name, fill))[Symbol.dispose]();
    await sites.evict();
  }
  expect(await readdir(content)).toEqual(['1-a']);
});
