// Covers what the server removes by itself, also if another server is always running.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { verifyAudit } from '../audit/chain.ts';
import { createAudit, SYSTEM } from '../audit/record.ts';
import { removeOldAuditEntries } from '../audit/retention.ts';
import { beginAuditCursor, entriesAfter, writeAuditHead } from '../audit/store.ts';
import { insertBundle } from '../bundles/store.ts';
import { appendEvent, eventsAfter } from '../events/store.ts';
import { insertJob } from '../jobs/store.ts';
import { createDirectoryBlobStore } from '../platform/blobs/directory-blob-store.ts';
import { systemIds } from '../platform/clock.ts';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { insertOpenTask } from '../tasks/testing.ts';
import { insertSession, insertVisits } from '../usage/store.ts';
import { startHousekeeping, type HousekeepingOptions } from './housekeeping.ts';

const never = new AbortController().signal;
const HOUR = 3_600_000_000;
const DAY = 24 * HOUR;
const START = 1_800_000_000_000_000;

let directory: string;
let storage: Storage;
let now = START;
const clock = { now: () => now };

beforeEach(async () => {
  now = START;
  receivers.length = 0;
  directory = await mkdtemp(join(tmpdir(), 'pressroom-housekeeping-'));
  storage = await openStorage(join(directory, 'test.sqlite'));
});
afterEach(async () => {
  vi.useRealTimers();
  await storage[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const secrets = createSecrets('a key for tests, of enough characters');
const receivers: string[] = [];
const start = (
  blobs = createDirectoryBlobStore(join(directory, 'bundles')),
  kept: Partial<HousekeepingOptions> = {},
) =>
  startHousekeeping({
    blobs,
    environments: join(directory, 'environments'),
    workDirectories: [join(directory, 'work'), join(directory, 'environments/work')],
    contents: join(directory, 'content'),
    logs: join(directory, 'logs'),
    removeEndedDrafts: async () => 0,
    announceUnused: async () => 0,
    storage,
    clock,
    ids: systemIds(),
    log: pino({ level: 'silent' }),
    retention: 30 * 86_400,
    usageRetention: 0,
    auditRetention: 0,
    auditReceivers: receivers,
    audit: createAudit(clock, secrets),
    secrets,
    removeTree: (path) => rm(path, { recursive: true, force: true }),
    ...kept,
  });

/** Creates a file or directory that was last modified at `time`. */
async function leave(path: string, time: number, isFile = false): Promise<void> {
  const target = join(directory, path);
  if (isFile) {
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, 'x');
  } else await mkdir(join(target, 'inside'), { recursive: true });
  await utimes(target, time / 1_000_000, time / 1_000_000);
}

const left = async (path: string) => (await readdir(join(directory, path))).toSorted();

test('removes work and uploads idle for a day at the start, but no finished archives', async () => {
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

test('keeps the work directory of a task that runs for days until it ends', async () => {
  await insertOpenTask(storage.db, START - 3 * DAY);
  await leave('work/1-long', START - 3 * DAY + HOUR);
  await using housekeeping = start();
  await housekeeping.run();
  expect(await left('work')).toEqual(['1-long']);
  await storage.db.deleteFrom('task').execute();
  await housekeeping.run();
  expect(await left('work')).toEqual([]);
});

test('what cannot be removed of one content item does not keep the others', async () => {
  const [mounted, other] = ['00000000-0000-4000-8000-000000000000', randomUUID()];
  const audit = createAudit(clock, secrets);
  for (const guid of [mounted, other]) {
    await storage.write((tx) => audit(tx, SYSTEM, 'remove_application', 'Deleted', { content: guid }));
    await leave(`content/${guid}`, START);
  }
  const removeTree = async (path: string) => {
    if (path.endsWith(mounted)) throw new Error('EBUSY');
    await rm(path, { recursive: true });
  };
  await start(undefined, { removeTree })[Symbol.asyncDispose]();
  expect(await left('content')).toEqual([mounted]);
});

test('removes logs of processes that are no longer listed, and transfers of them that broke off', async () => {
  const guid = randomUUID();
  // The content item does not exist.
  await sql`pragma foreign_keys = off`.execute(storage.db);
  const none = { restored: null, ended: null, exit_code: null, outcome: null };
  const of = {
    content_guid: guid,
    bundle_id: 1,
    tag: 'run_app',
    pid: 1,
    node: 'n',
    started: 0,
    heartbeat: 0,
  };
  await insertJob(storage.db, { key: 'listed', ...of, ...none });
  const files = ['listed.log', 'listed.log.1', 'listed.log.123456', 'forgotten.log', 'forgotten.log.1'];
  for (const name of files) await leave(`logs/${guid}/${name}`, START - DAY - HOUR, true);
  await leave(`logs/${guid}/starting.log`, START - HOUR, true);
  await start()[Symbol.asyncDispose]();
  expect(await left(`logs/${guid}`)).toEqual(['listed.log', 'listed.log.1', 'starting.log']);
});

test('logs bundles without an archive, such as after a move that left some behind', async () => {
  await sql`pragma foreign_keys = off`.execute(storage.db);
  const of = {
    content_guid: randomUUID(),
    created_time: START,
    created_by: '',
    size: 1,
    md5: '',
    manifest: '{}',
  };
  for (let id = 1; id <= 2; id += 1) await storage.write((tx) => insertBundle(tx, of));
  await leave('bundles/2.tar.gz', START, true);
  const logged: unknown[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  await start(undefined, { log })[Symbol.asyncDispose]();
  expect(logged).toMatchObject([
    {
      bundles: [1],
      msg: expect.stringMatching(/^1 bundles of the database are not in its store.*move-files/),
    },
  ]);
});

test('drops events that no receiver accepted for seven days, also if none is reached or configured', async () => {
  const event = { type: 'content.deleted', started_time: 0, content_guid: '', user_guid: '' } as const;
  for (const time of [START - 8 * DAY, START - 6 * DAY])
    await storage.write((tx) => appendEvent(tx, { ...event, time }));
  await start()[Symbol.asyncDispose]();
  expect(await eventsAfter(storage.db, 0, 10)).toMatchObject([{ id: 2 }]);
});

test('removes leftovers of content whose deletion was interrupted', async () => {
  const [unknown, deleted] = [randomUUID(), randomUUID()];
  const audit = createAudit(clock, secrets);
  await storage.write((tx) => audit(tx, SYSTEM, 'remove_application', 'Deleted', { content: deleted }));
  for (const place of ['content', 'logs'])
    for (const name of [unknown, deleted, `${deleted}.going`]) await leave(`${place}/${name}`, START);
  await start()[Symbol.asyncDispose]();
  for (const place of ['content', 'logs']) expect(await left(place)).toEqual([unknown]);
});

test('a failed sweep of uploads does not stop the removal of packages', async () => {
  await leave('environments/Python/3.11/unfinished', START - 2 * DAY);
  await leave('environments/evicted', START);
  const sweepUploads = () => Promise.reject(new Error('the disk is read-only'));
  await using housekeeping = start({ ...createDirectoryBlobStore(join(directory, 'bundles')), sweepUploads });
  await housekeeping.run();
  expect(await left('environments/Python/3.11')).toEqual([]);
});

test('runs again once a day', async () => {
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

const days = (count: number) => count * 86_400;

/** Writes one audit entry a day, the newest at the current time. */
async function writeEntries(count: number): Promise<void> {
  const audit = createAudit(clock, secrets);
  for (let age = count - 1; age >= 0; age--) {
    now = START - age * DAY;
    await storage.write((tx) => audit(tx, SYSTEM, 'edit_user', `${age} days ago`));
  }
  now = START;
}
const verdict = () => verifyAudit(storage.db, secrets);
const described = async () =>
  (await entriesAfter(storage.db, 0, 100)).map(({ event_description }) => event_description);

test('keeps audit entries for the retention period, and the rest still verifies', async () => {
  await writeEntries(10);
  await using forever = start();
  await forever.run();
  expect(await described()).toHaveLength(10);
  await using housekeeping = start(undefined, { auditRetention: days(4) });
  await housekeeping.run();
  expect(await described()).toEqual([
    ...[4, 3, 2, 1, 0].map((age) => `${age} days ago`),
    expect.stringMatching(/^Removed 5 audit entries from before /),
  ]);
  expect(await verdict()).toEqual({ linked: 6, unlinked: 0, removed: 5, problem: null });
  // Nothing is left to remove: the entry about a removal does not lead to another one.
  await housekeeping.run();
  expect(await described()).toHaveLength(6);
  now = START + 3 * DAY;
  await housekeeping.run();
  expect(await verdict()).toEqual({ linked: 4, unlinked: 0, removed: 8, problem: null });
});

test('other requests are served while many old visits and audit entries are removed', async () => {
  const many = 12_000;
  const times = sql`with recursive many(i) as (select 1 union all select i + 1 from many where i < ${many})`;
  await sql`insert into visit (content_guid, time, bundle_id, data_version)
    ${times} select ${randomUUID()}, i, 1, 1 from many`.execute(storage.db);
  await sql`insert into audit_log (time, user_id, user_description, action, event_description)
    ${times} select i, '', '', 'edit_user', '' from many`.execute(storage.db);
  const counts = { visit: new Set<number>(), audit_log: new Set<number>() };
  let looking = setImmediate(look);
  function look() {
    for (const table of ['visit', 'audit_log'] as const)
      void storage.db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
        .then(({ n }) => counts[table].add(n));
    looking = setImmediate(look);
  }
  await using housekeeping = start(undefined, { usageRetention: 86_400, auditRetention: 86_400 });
  await housekeeping.run();
  clearImmediate(looking);
  expect(counts.visit.size).toBeGreaterThan(2);
  expect(counts.audit_log.size).toBeGreaterThan(2);
  expect(await verifyAudit(storage.db, secrets)).toMatchObject({ problem: null });
});

test('the audit log verifies although old entries are removed meanwhile', async () => {
  await writeEntries(10);
  const parts = { storage, secrets, audit: createAudit(clock, secrets) };
  let reads = 0;
  const db = storage.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      reads += 1;
      // After the ends of the chain were read, and before its entries.
      if (reads === 2) await removeOldAuditEntries(parts, START - 4 * DAY, [], never);
      return result;
    },
  });
  expect(await verifyAudit(db, secrets)).toEqual({ linked: 6, unlinked: 0, removed: 5, problem: null });
});

test('a stop ends the removal of audit entries after a portion, and each portion has an entry', async () => {
  const parts = { storage, secrets, audit: createAudit(clock, secrets) };
  await sql`insert into audit_log (time, user_id, user_description, action, event_description)
    with recursive many(i) as (select 1 union all select i + 1 from many where i < 11000)
    select i, '', '', 'edit_user', 'old' from many`.execute(storage.db);
  const remove = (signal: AbortSignal) => removeOldAuditEntries(parts, START, [], signal);
  expect(await remove(AbortSignal.abort())).toBe(5000);
  expect(await remove(never)).toBe(6000);
  const left = (await described()).map((text) => text.replace(/ from before .*/, ''));
  expect(left).toEqual(['5000', '5000', '1000'].map((count) => `Removed ${count} audit entries`));
});

test('detects entries removed from the start of the audit log, even with a forged seal', async () => {
  await writeEntries(10);
  await using housekeeping = start(undefined, { auditRetention: days(4) });
  await housekeeping.run();
  const [first] = await entriesAfter(storage.db, 0, 1);
  await storage.db.deleteFrom('audit_log').where('id', '=', first!.id).execute();
  expect((await verdict()).problem).toMatch(/^entries before entry \d+ are missing$/);
  const { seq, mac } = first!;
  await writeAuditHead(storage.db, { name: 'start', seq: seq!, mac: mac!, seal: mac! });
  expect((await verdict()).problem).toBe('the seal of the start was changed');
});

test('keeps audit entries that a receiver has not received', async () => {
  await writeEntries(3);
  await storage.write((tx) => beginAuditCursor(tx, 'webhook'));
  now = START + DAY;
  const audit = createAudit(clock, secrets);
  await storage.write((tx) => audit(tx, SYSTEM, 'edit_user', 'not sent yet'));
  now = START + 30 * DAY;
  receivers.push('webhook');
  await using housekeeping = start(undefined, { auditRetention: days(4) });
  await housekeeping.run();
  expect(await described()).toEqual(['not sent yet', expect.stringMatching(/^Removed 3 /)]);
});

test('keeps visits and sessions for the retention period, and open sessions beyond it', async () => {
  const content_guid = crypto.randomUUID();
  const rest = { content_guid, user_guid: null, data_version: 1 };
  const visit = (age: number) => ({
    ...rest,
    time: START - age * DAY,
    bundle_id: 1,
    rendering_id: null,
    variant_key: null,
  });
  await insertVisits(storage, [visit(10), visit(5), visit(1)]);
  for (const [age, ended] of [
    [10, START - 10 * DAY + HOUR],
    [10, null],
    [1, START],
  ] as const)
    await insertSession(storage.db, { ...rest, started: START - age * DAY, ended, job_key: null });
  const left = async () => {
    const visits = await storage.db.selectFrom('visit').select('time').orderBy('time').execute();
    const sessions = await storage.db.selectFrom('app_session').select('ended').orderBy('id').execute();
    return [visits.map(({ time }) => (START - time) / DAY), sessions.map(({ ended }) => ended)];
  };
  await using forever = start();
  await forever.run();
  expect((await left())[0]).toEqual([10, 5, 1]);
  await using housekeeping = start(undefined, { usageRetention: days(4) });
  await housekeeping.run();
  expect(await left()).toEqual([[1], [null, START]]);
});
