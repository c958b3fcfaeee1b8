// Covers which restored packages are evicted, and which never are.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertJob } from '../../jobs/store.ts';
import { systemIds } from '../../platform/clock.ts';
import { openStorage, type Storage } from '../../platform/database/storage.ts';
import { insertOpenTask } from '../../tasks/testing.ts';
import { EMPTY_MANIFEST, runCode, startBench, type Bench } from '../testing.ts';
import type { Restorer } from './create-restorer.ts';
import { evictUnused, type EvictOptions } from './evict.ts';
import {
  installedIn,
  makeRepository,
  makeWheel,
  manifestOf,
  packagesIn,
  restorerOf,
  restoreWith,
  withQuickR,
} from './testing.ts';

const DAY = 86_400;
const KEPT = 30 * DAY;

let bench: Bench;
let storage: Storage;
let days = 0;
const clock = { now: () => Date.now() * 1000 + days * DAY * 1_000_000 };
const ids = systemIds();

beforeAll(async () => {
  bench = await withQuickR(await startBench(200));
  await makeWheel(bench.directory, 'alpha', '1.0');
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(async () => {
  days = 0;
  storage = await openStorage(join(bench.directory, `${ids.uuid()}.sqlite`));
  // The first eviction has run.
  await evict();
});
afterEach(async () => {
  await storage[Symbol.asyncDispose]();
  await rm(directory(), { recursive: true });
});

/** Fills the cache: the first test that asks restores the packages, later ones get a copy. */
async function warm(restored: string, restore: () => Promise<unknown>): Promise<void> {
  const kept = join(bench.directory, `kept-${restored}`);
  if (existsSync(kept)) await rm(directory(), { recursive: true });
  else await restore();
  const [from, to] = existsSync(kept) ? [kept, directory()] : [directory(), kept];
  // Keep times and owners.
  execFileSync('cp', ['-a', from, to]);
}

const directory = () => join(bench.directory, 'environments');
const evict = (retention = KEPT, more: Partial<EvictOptions> = {}) =>
  evictUnused({
    directory: directory(),
    storage,
    clock,
    ids,
    retention,
    log: pino({ level: 'silent' }),
    ...more,
  });
const restorer = () =>
  restorerOf(bench, {}, { exclusively: (work) => storage.write(work, 'restored packages'), clock });

async function restorePython(requirements: string, by: Restorer = restorer()) {
  const source = join(bench.directory, `bundle-${ids.taskId()}`);
  await mkdir(source);
  await writeFile(join(source, 'requirements.txt'), requirements);
  const python = { version: '3.11', package_manager: { name: 'pip', version: null, package_file: null } };
  return restoreWith(by, { manifest: { ...EMPTY_MANIFEST, python }, source });
}
const restoreR = (packages: Record<string, string>, by: Restorer = restorer()) =>
  restoreWith(by, { manifest: manifestOf(packages) });

/** Creates content whose active deploy uses these directories. */
async function deployed(fields: { launch?: string; restored?: string }): Promise<string> {
  const guid = ids.uuid();
  const person = { guid, username: guid, username_key: guid, email: '', user_role: 'publisher' } as const;
  const names = { first_name: '', last_name: '', first_name_key: '', last_name_key: '' };
  const state = { must_set_password: 0, confirmed: 1, locked: 0, created_time: 1, updated_time: 1 } as const;
  await storage.db
    .insertInto('user_account')
    .values({ ...person, ...names, ...state } as never)
    .execute();
  const content = { guid, name: guid, description: '', access_type: 'all', owner_guid: guid } as const;
  const kind = { app_mode: 'api', content_category: '', has_parameters: 0, git_managed: 0 } as const;
  await storage.db
    .insertInto('content')
    .values({ ...content, ...kind, created_time: 1, ...fields } as never)
    .execute();
  return guid;
}

const runsWith = (content_guid: string, restored: string) =>
  insertJob(storage.db, {
    key: ids.taskId(),
    content_guid,
    bundle_id: 1,
    tag: 'run_api',
    pid: 1,
    node: '',
    restored,
    started: 1,
    heartbeat: 1,
  });

test('the first eviction leaves the cache accessible to content accounts', async () => {
  const fresh = join(bench.directory, 'fresh', 'environments');
  await evictUnused({
    directory: fresh,
    storage,
    clock,
    ids,
    retention: KEPT,
    log: pino({ level: 'silent' }),
  });
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  expect([await modeOf(fresh), await modeOf(join(fresh, 'evicted'))]).toEqual(['755', '700']);
});

const pathOf = ({ environment }: Awaited<ReturnType<typeof restorePython>>) => environment.readable[0]!;

describe('Python environment in the cache', () => {
  beforeEach(() => warm('alpha', () => restorePython('alpha\n')));

  test('becomes accessible again with the next restore when its directory was closed', async () => {
    await chmod(directory(), 0o700);
    const { environment } = await restorePython('alpha\n');
    expect(await runCode(bench, environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
    expect((await stat(directory())).mode & 0o777).toBe(0o755);
  });

  test('is evicted after the retention period and restored again on request', async () => {
    const path = pathOf(await restorePython('alpha\n'));
    days = 29;
    expect(await evict()).toEqual([]);
    days = 31;
    expect(await evict(0)).toEqual([]);
    expect(await evict()).toEqual([path]);
    expect(await readdir(dirname(path))).toEqual([]);
    expect(await readdir(join(directory(), 'evicted'))).toEqual([]);
    const again = await restorePython('alpha\n');
    expect(await runCode(bench, again.environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
  });

  test('counts as used when a deploy takes it from the cache', async () => {
    const path = pathOf(await restorePython('alpha\n'));
    days = 29;
    expect(pathOf(await restorePython('alpha\n'))).toBe(path);
    days = 58;
    expect(await evict()).toEqual([]);
  });

  test.each(['a document that was rendered with it', 'an application', 'a process'])(
    'stays while in use by %s and for the retention period afterwards',
    async (by) => {
      const { environment } = await restorePython('alpha\n');
      const path = environment.readable[0]!;
      if (by === 'an application') await deployed({ launch: JSON.stringify({ environment }) });
      else if (by === 'a process') await runsWith(await deployed({}), path);
      else await deployed({ restored: path });
      days = 400;
      expect(await evict()).toEqual([]);
      await storage.db.deleteFrom('content').execute();
      days = 429;
      expect(await evict()).toEqual([]);
      days = 431;
      expect(await evict()).toEqual([path]);
    },
  );

  test('stays while an older task may use it, however short the retention', async () => {
    await insertOpenTask(storage.db, clock.now());
    const path = pathOf(await restorePython('alpha\n'));
    days = 2;
    expect(await evict(1)).toEqual([]);
    await storage.db.deleteFrom('task').execute();
    expect(await evict(1)).toEqual([path]);
  });

  test('is restored again when it is evicted just as a deploy claims it', async () => {
    const path = pathOf(await restorePython('alpha\n'));
    days = 31;
    let evicted: string[] | undefined;
    // The deploy has found the packages. The eviction runs before the deploy marks them as used.
    const exclusively = async <T>(work: () => Promise<T>) => {
      evicted ??= await evict();
      return storage.write(work);
    };
    const { environment } = await restorePython('alpha\n', restorerOf(bench, {}, { exclusively, clock }));
    expect(evicted).toEqual([path]);
    expect(environment.readable[0]).not.toBe(path);
    expect(await runCode(bench, environment, 'import alpha; print(alpha.VERSION)')).toBe('1.0');
    expect(await evict()).toEqual([]);
  });

  test('counts as used at the first eviction when it was restored before uses were recorded', async () => {
    const path = pathOf(await restorePython('alpha\n'));
    await rm(join(directory(), 'evicted'), { recursive: true });
    days = 20;
    expect(await evict()).toEqual([]);
    days = 49;
    expect(await evict()).toEqual([]);
    days = 51;
    expect(await evict()).toEqual([path]);
  });

  test('is evicted after a day when incomplete, whatever the retention', async () => {
    const path = pathOf(await restorePython('alpha\n'));
    await rm(join(path, 'complete'));
    expect(await evict(0)).toEqual([]);
    days = 2;
    expect(await evict(0)).toEqual([path]);
  });

  test('is removed by whoever may: an unfinished one belongs to an account of content', async () => {
    await mkdir(join(directory(), 'evicted/half/venv'), { recursive: true });
    const removed: string[] = [];
    await evict(KEPT, { removeTree: async (path) => void removed.push(path) });
    expect(removed).toEqual([join(directory(), 'evicted/half')]);
  });

  test('is removed when a crash interrupted its removal', async () => {
    const half = join(directory(), 'evicted/half/venv');
    await mkdir(half, { recursive: true });
    expect(await evict()).toEqual([]);
    expect(existsSync(half)).toBe(false);
  });
});

describe('R packages in the cache', () => {
  beforeAll(() =>
    makeRepository(bench.directory, [{ name: 'alpha' }, { name: 'beta', fields: 'Imports: alpha' }]),
  );
  const warmAlpha = () => warm('r-alpha', () => restoreR({ alpha: '1.0' }));
  const warmBoth = () => warm('r-both', () => restoreR({ alpha: '1.0', beta: '1.0' }));

  test('are evicted with the last library that has them', async () => {
    await warmBoth();
    const both = await restoreR({ alpha: '1.0', beta: '1.0' });
    days = 20;
    const one = await restoreR({ alpha: '1.0' });
    days = 31;
    const evicted = await evict();
    expect(evicted).toEqual([both.environment.readable[0], expect.stringContaining('/packages/beta/1.0/')]);
    expect(await packagesIn(one.environment)).toEqual(['alpha 1.0']);
    days = 51;
    expect(await evict()).toEqual([
      one.environment.readable[0],
      expect.stringContaining('/packages/alpha/1.0/'),
    ]);
  });

  test('stay while content uses them, also through a link to the data directory', async () => {
    await warmBoth();
    const { environment } = await restoreR({ beta: '1.0' });
    await deployed({ launch: JSON.stringify({ environment }) });
    days = 400;
    const other = join(bench.directory, 'elsewhere');
    await symlink('environments', other);
    const log = pino({ level: 'silent' });
    expect(await evictUnused({ directory: other, storage, clock, ids, retention: KEPT, log })).toEqual([]);
    expect(await packagesIn(environment)).toEqual(['alpha 1.0', 'beta 1.0']);
  });

  test('are installed again when evicted while a restore chooses them', async () => {
    await warmAlpha();
    await restoreR({ alpha: '1.0' });
    days = 31;
    let evicted: string[] | undefined;
    const exclusively = async <T>(work: () => Promise<T>) => {
      evicted ??= await evict();
      return storage.write(work);
    };
    const by = restorerOf(bench, {}, { exclusively, clock });
    const { environment, lines } = await restoreR({ alpha: '1.0', beta: '1.0' }, by);
    expect(evicted).toHaveLength(2);
    expect(installedIn(lines).toSorted()).toEqual(['alpha', 'beta']);
    expect(await packagesIn(environment)).toEqual(['alpha 1.0', 'beta 1.0']);
  });

  test('stay from the choice by a restore until its library exists', async () => {
    await warmAlpha();
    const before = await restoreR({ alpha: '1.0' });
    days = 31;
    const evicted: string[] = [];
    const exclusively = async <T>(work: () => Promise<T>) => {
      const result = await storage.write(work);
      evicted.push(...(await evict()));
      return result;
    };
    const by = restorerOf(bench, {}, { exclusively, clock });
    const { environment, lines } = await restoreR({ alpha: '1.0', beta: '1.0' }, by);
    expect(evicted).toEqual(before.environment.readable.slice(0, 1));
    expect(installedIn(lines)).toEqual(['beta']);
    expect(await packagesIn(environment)).toEqual(['alpha 1.0', 'beta 1.0']);
  });
});
