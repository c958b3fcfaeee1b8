// What the server removes by itself, beside others that always run.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDirectoryBlobStore } from '../platform/blobs/directory-blob-store.ts';
import { systemIds } from '../platform/clock.ts';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { insertOpenTask } from '../tasks/testing.ts';
import { startHousekeeping } from './housekeeping.ts';

const HOUR = 3_600_000_000;
const DAY = 24 * HOUR;
const START = 1_800_000_000_000_000;

let directory: string;
let storage: Storage;
let now = START;
const clock = { now: () => now };

beforeEach(async () => {
  now = START;
  directory = await mkdtemp(join(tmpdir(), 'pressroom-housekeeping-'));
  storage = await openStorage(join(directory, 'test.sqlite'));
});
afterEach(async () => {
  vi.useRealTimers();
  await storage[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const start = (blobs = createDirectoryBlobStore(join(directory, 'bundles'))) =>
  startHousekeeping({
    blobs,
    environments: join(directory, 'environments'),
    workDirectories: [join(directory, 'work'), join(directory, 'environments/work')],
    storage,
    clock,
    ids: systemIds(),
    log: pino({ level: 'silent' }),
    retention: 30 * 86_400,
    removeTree: (path) => rm(path, { recursive: true, force: true }),
  });

/** Makes something that was last written at that time. */
async function leave(path: string, time: number, isFile = false): Promise<void> {
  const target = join(directory, path);
  if (isFile) {
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, 'x');
  } else await mkdir(join(target, 'inside'), { recursive: true });
  await utimes(target, time / 1_000_000, time / 1_000_000);
}

const left = async (path: string) => (await readdir(join(directory, path))).toSorted();

test('what nobody has written to for a day goes at the start; younger work and finished archives stay', async () => {
  for (const place of ['work', 'environments/work']) {
    await leave(`${place}/old`, START - DAY - HOUR);
    await leave(`${place}/young`, START - HOUR);
  }
  await leave('bundles/old.upload', START - DAY - HOUR, true);
  await leave('bundles/young.upload', START - HOUR, true);
  await leave('bundles/1.tar.gz', START - 100 * DAY, true);
  await start()[Symbol.asyncDispose]();
  expect(await left('work')).toEqual(['young']);
  expect(await left('environments/work')).toEqual(['young']);
  expect(await left('bundles')).toEqual(['1.tar.gz', 'young.upload']);
});

test('work of a task that takes days is left alone until that has ended', async () => {
  await insertOpenTask(storage.db, START - 3 * DAY);
  await leave('work/1-long', START - 3 * DAY + HOUR);
  await using housekeeping = start();
  await housekeeping.run();
  expect(await left('work')).toEqual(['1-long']);
  await storage.db.deleteFrom('task').execute();
  await housekeeping.run();
  expect(await left('work')).toEqual([]);
});

test('what goes wrong with leftovers keeps packages from nothing', async () => {
  await leave('environments/Python/3.11/unfinished', START - 2 * DAY);
  await leave('environments/evicted', START);
  const sweepUploads = () => Promise.reject(new Error('the disk is read-only'));
  await using housekeeping = start({ ...createDirectoryBlobStore(join(directory, 'bundles')), sweepUploads });
  await housekeeping.run();
  expect(await left('environments/Python/3.11')).toEqual([]);
});

test('it is looked at again once a day', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await leave('work/young', START - HOUR);
  const housekeeping = start();
  await housekeeping.run();
  expect(await left('work')).toEqual(['young']);
  now = START + DAY;
  vi.advanceTimersByTime(DAY / 1000);
  await housekeeping[Symbol.asyncDispose]();
  expect(await left('work')).toEqual([]);
});
