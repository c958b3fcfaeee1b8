import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock, systemIds } from '../platform/clock.ts';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { endLostJobs, listJobs, reopenJobs } from './store.ts';

const MINUTE_MS = 60_000;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-jobs-'));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true });
});

const jobsOf = (storage: Storage) =>
  createJobs({
    directory: join(directory, 'logs'),
    archives: null,
    storage,
    clock: systemClock(),
    ids: systemIds(),
    log: pino({ level: 'silent' }),
  });

test('records the end of a process once the database accepts writes again', async () => {
  await using storage = await openStorage(join(directory, 'pressroom.sqlite'));
  await using jobs = await jobsOf(storage);
  // The content item does not exist.
  await sql`pragma foreign_keys = off`.execute(storage.db);
  const job = await jobs.open({ content_guid: 'c', bundle_id: 1, tag: 'run_app' });
  await job.begin(1, null);
  await sql`create trigger full before update of outcome on job begin select raise(fail, 'disk full'); end`.execute(
    storage.db,
  );
  await expect(
    job.end({ code: 3, signal: null, message: 'ended with 3', outOfMemory: false, isLost: false }),
  ).rejects.toThrow('disk full');
  await sql`drop trigger full`.execute(storage.db);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await expect
    .poll(async () => (await listJobs(storage.db, 'c'))[0])
    .toMatchObject({ exit_code: 3, outcome: 'ended with 3', ended: expect.any(Number) });
});

test('the end of a process does not fail because that of another cannot be recorded', async () => {
  await using storage = await openStorage(join(directory, 'pressroom.sqlite'));
  await using jobs = await jobsOf(storage);
  await sql`pragma foreign_keys = off`.execute(storage.db);
  const open = (content_guid: string) => jobs.open({ content_guid, bundle_id: 1, tag: 'run_app' });
  const [refused, other] = [await open('refused'), await open('other')];
  for (const job of [refused, other]) await job.begin(1, null);
  await sql`create trigger full before update of outcome on job when old.content_guid = 'refused'
    begin select raise(fail, 'disk full'); end`.execute(storage.db);
  const ending = { code: 0, signal: null, message: 'was stopped', outOfMemory: false, isLost: false };
  await expect(refused.end(ending)).rejects.toThrow('disk full');
  await other.end(ending);
  expect(await listJobs(storage.db, 'other')).toMatchObject([{ outcome: 'was stopped' }]);
});

test('a server that was lost learns which of its processes another server wants stopped', async () => {
  await using storage = await openStorage(join(directory, 'pressroom.sqlite'));
  await sql`pragma foreign_keys = off`.execute(storage.db);
  await using stack = new AsyncDisposableStack();
  const [here, away] = [stack.use(await jobsOf(storage)), stack.use(await jobsOf(storage))];
  const begin = async (jobs: Jobs, content_guid: string) => {
    const job = await jobs.open({ content_guid, bundle_id: 1, tag: 'run_app' });
    await job.begin(1, null);
    return job;
  };
  const all = [await begin(here, 'c'), await begin(away, 'c'), await begin(away, 'other')] as const;
  expect(await here.stopExceptOn('c', [])).toEqual([away.node]);
  expect([await here.unwanted(), await away.unwanted()]).toEqual([[], [all[1].key]]);
  await storage.write((tx) => endLostJobs(tx, { node: away.node }, 0));
  await reopenJobs(
    storage.db,
    away.node,
    all.map(({ key }) => key),
  );
  expect(await away.unwanted()).toEqual([all[1].key]);
  for (const job of all)
    await job.end({ code: 0, signal: null, message: 'was stopped', outOfMemory: false, isLost: false });
  expect(await away.unwanted()).toEqual([]);
});
