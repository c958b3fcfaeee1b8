// Covers processes that are still starting when their content is deleted, or that cannot be recorded.
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { ContentRow } from '../content/store.ts';
import { loadConfig } from '../main/config/load-config.ts';
import { systemClock } from '../platform/clock.ts';
import { Outage } from '../platform/outage.ts';
import { type ApplicationsOptions, createApplications } from './applications.ts';
import type { LaunchRecord } from './launch-record.ts';
import type { Ending } from './sandbox/launcher.ts';

const ENDED: Ending = {
  code: 0,
  signal: null,
  outOfMemory: false,
  isLost: false,
  message: 'ended with code 0',
};

const launchWith = (packages: string) =>
  JSON.stringify({
    manifest: { appmode: 'python-fastapi', entrypoint: 'app' },
    environment: { language: 'python', program: '/usr/bin/python3', readable: [packages], variables: {} },
  });
const CONTENT = {
  guid: '11111111-1111-4111-8111-111111111111',
  bundle_id: 1,
  site: '1-a',
  launch: launchWith('/gone'),
  run_as: null,
  min_processes: null,
} as unknown as ContentRow;

/** Creates applications whose processes never listen. */
function start(options: Partial<ApplicationsOptions> & { begin?: () => Promise<void> } = {}) {
  const { begin = async () => undefined, ...rest } = options;
  const launched: { isStopped: boolean }[] = [];
  const lines: string[] = [];
  const launch = vi.fn(async () => {
    const process = { isStopped: false };
    launched.push(process);
    const ended = Promise.withResolvers<Ending>();
    const stop = () => {
      process.isStopped = true;
      ended.resolve(ENDED);
      return ended.promise;
    };
    return { directory: '/nowhere', socket: '/nowhere/s', uid: 0, pid: 1, ended: ended.promise, stop };
  });
  const job = {
    key: 'k',
    write: (line: string) => void lines.push(line),
    begin,
    end: async () => undefined,
    fail: async () => undefined,
  };
  const applications = createApplications({
    places: null,
    config: loadConfig({}),
    launcher: { launch, give: async () => undefined },
    jobs: { open: async () => job },
    environment: { of: async () => ({ TOKEN: 'hunter22' }), secretsOf: async () => ['hunter22'] },
    siteDirectory: () => '/nowhere',
    openFiles: null,
    prepared: {
      fork: async () => null,
      prepare: () => undefined,
      retire: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
      end: async () => undefined,
    },
    restoreAgain: async ({ launch: record }: { launch: LaunchRecord }) => record,
    clock: systemClock(),
    log: pino({ level: 'silent' }),
    ...rest,
  } as unknown as ApplicationsOptions);
  return { applications, launched, lines };
}

test('stops a process that cannot be recorded', async () => {
  const begin = () => Promise.reject(new Error('FOREIGN KEY constraint failed'));
  const { applications, launched } = start({ begin });
  await expect(applications.poolOf(CONTENT).acquire()).rejects.toMatchObject({
    status: 502,
    cause: { message: 'FOREIGN KEY constraint failed' },
  });
  expect(launched).toEqual([{ isStopped: true }]);
});

test('removing content cancels the restore of its packages', async () => {
  const asked = Promise.withResolvers<void>();
  const { applications, launched, lines } = start({
    restoreAgain: async (_deployed, _print, signal) => {
      asked.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    },
  });
  const refused = expect(applications.poolOf(CONTENT).acquire()).rejects.toMatchObject({ status: 502 });
  await asked.promise;
  await applications.end(CONTENT.guid);
  await refused;
  expect(launched).toEqual([]);
  expect(lines).toContain('Could not be launched: the content is removed');
});

test('what failed to start is tried again at once after a change, not because other servers are followed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const launch = vi.fn(async () => Promise.reject(new Error('no')));
  const { applications } = start({ launcher: { launch, give: async () => undefined } as never });
  const visit = async () => {
    await expect(applications.poolOf(CONTENT).acquire()).rejects.toMatchObject({ status: 502 });
    return launch.mock.calls.length;
  };
  expect([await visit(), await visit()]).toEqual([1, 1]);
  applications.follow([CONTENT], new Map());
  expect(await visit()).toBe(1);
  applications.changed(CONTENT, []);
  expect([await visit(), await visit()]).toEqual([2, 2]);
  vi.useRealTimers();
  await applications[Symbol.asyncDispose]();
});

test('a visitor who arrives during a restart waits for the next process', async () => {
  const ending = Promise.withResolvers<Ending>();
  const launch = vi.fn(async () => ({
    directory: '/nowhere',
    socket: '/nowhere/s',
    uid: 0,
    pid: 1,
    ended: ending.promise,
    stop: () => ending.promise,
  }));
  const { applications } = start({ launcher: { launch, give: async () => undefined } as never });
  const refused = expect(applications.poolOf(CONTENT).acquire()).rejects.toMatchObject({ status: 502 });
  await expect.poll(() => launch.mock.calls.length).toBe(1);
  const restarting = expect(
    applications.restart(CONTENT, Promise.resolve(), () => undefined),
  ).rejects.toThrow();
  await refused;
  let isAnswered = false;
  const waits = applications
    .poolOf(CONTENT)
    .acquire()
    .finally(() => (isAnswered = true));
  waits.catch(() => undefined);
  await new Promise(setImmediate);
  expect([isAnswered, launch.mock.calls.length]).toEqual([false, 1]);
  ending.resolve(ENDED);
  await expect.poll(() => launch.mock.calls.length).toBeGreaterThan(1);
  await applications[Symbol.asyncDispose]();
  await restarting;
});

test('a restart that cannot reach the other servers fails, and visitors are still served', async () => {
  const { applications, launched } = start();
  const first = applications.poolOf(CONTENT).acquire();
  first.catch(() => undefined);
  await expect.poll(() => launched.length).toBe(1);
  const failed = Promise.reject(new Error('the database does not respond'));
  await expect(applications.restart(CONTENT, failed, () => undefined)).rejects.toThrow('does not respond');
  const next = applications.poolOf(CONTENT).acquire();
  next.catch(() => undefined);
  await expect.poll(() => launched.length).toBe(2);
  await applications[Symbol.asyncDispose]();
  expect(launched.every(({ isStopped }) => isStopped)).toBe(true);
});

/** Creates applications whose processes never listen, and exit when the test says so. */
function startSlow(options: Partial<ApplicationsOptions> = {}) {
  const ends: (() => void)[] = [];
  const launch = vi.fn(async () => {
    const { promise: ended, resolve } = Promise.withResolvers<Ending>();
    ends.push(() => resolve(ENDED));
    return { directory: '/nowhere', socket: '/nowhere/s', uid: 0, pid: 1, ended, stop: () => ended };
  });
  const { applications } = start({ launcher: { launch, give: async () => undefined } as never, ...options });
  /** Adds a visitor, who gets an error in the end because nothing listens. */
  const visit = () => {
    const visitor = { isAnswered: false };
    const answered = () => (visitor.isAnswered = true);
    applications.poolOf(CONTENT).acquire().then(answered, answered);
    return visitor;
  };
  const launches = () => launch.mock.calls.length;
  return { applications, visit, launches, ends };
}
const NEVER = new Promise<void>(() => undefined);

test('a visitor who arrives while processes stop waits for the next one', async () => {
  const { applications, visit, launches, ends } = startSlow();
  visit();
  await expect.poll(launches).toBe(1);
  const stopping = applications.stop(CONTENT.guid);
  const next = visit();
  await new Promise(setImmediate);
  expect([next.isAnswered, launches()]).toEqual([false, 1]);
  ends[0]!();
  await stopping;
  await expect.poll(launches).toBe(2);
  const disposed = applications[Symbol.asyncDispose]();
  ends[1]!();
  await disposed;
});

test('two servers that restart the same content do not deadlock and lose no visitor', async () => {
  const [one, other] = [startSlow(), startSlow()];
  for (const { visit, launches } of [one, other]) {
    visit();
    await expect.poll(launches).toBe(1);
  }
  const asked = Promise.withResolvers<void>();
  const stoppedAt = async ({ applications }: typeof one) => {
    await asked.promise;
    await applications.stop(CONTENT.guid);
  };
  const restarting = Promise.allSettled([
    one.applications.restart(CONTENT, stoppedAt(other), () => undefined),
    other.applications.restart(CONTENT, stoppedAt(one), () => undefined),
  ]);
  const visitors = [one.visit(), other.visit()];
  await new Promise(setImmediate);
  asked.resolve();
  await new Promise(setImmediate);
  expect(visitors).toEqual([{ isAnswered: false }, { isAnswered: false }]);
  one.ends[0]!();
  other.ends[0]!();
  for (const { launches } of [one, other]) await expect.poll(launches).toBe(2);
  one.ends[1]!();
  other.ends[1]!();
  const failed = { status: 'rejected', reason: { status: 502 } };
  expect(await restarting).toMatchObject([failed, failed]);
});

test('a restart starts the deploy that went live meanwhile', async () => {
  const { applications, launched } = start();
  const elsewhere = Promise.withResolvers<void>();
  const restarting = applications.restart(CONTENT, elsewhere.promise, () => undefined);
  const next = { ...CONTENT, site: '2-b', bundle_id: 2, last_deployed_time: 2 };
  applications.changed(next, []);
  const waiting = expect(applications.poolOf(next).acquire()).rejects.toThrow();
  elsewhere.resolve();
  await expect.poll(() => launched).toHaveLength(1);
  expect(applications.poolOf(next).connections).toBe(2);
  await applications.end(CONTENT.guid);
  await expect(restarting).rejects.toMatchObject({ status: 502 });
  await waiting;
});

test.each(['end', 'stop'] as const)(
  '%s does not wait for a restart that waits for other servers',
  async (what) => {
    const { applications, launched } = start();
    const restarting = expect(
      applications.restart(CONTENT, NEVER, () => undefined, AbortSignal.timeout(100)),
    ).rejects.toThrow();
    const waiting = expect(applications.poolOf(CONTENT).acquire()).rejects.toMatchObject({ status: 502 });
    await applications[what](CONTENT.guid);
    await applications[Symbol.asyncDispose]();
    await Promise.all([waiting, restarting]);
    expect(launched).toEqual([]);
  },
);

test('the next process starts with the renewed launch record', async () => {
  const seen: unknown[] = [];
  const { applications } = start({
    restoreAgain: async ({ launch }) => {
      seen.push(launch.environment.readable);
      throw new Error('enough seen');
    },
  });
  await expect(applications.poolOf(CONTENT).acquire()).rejects.toThrow();
  applications.changed({ ...CONTENT, launch: launchWith('/renewed'), min_processes: 1 } as ContentRow, []);
  await expect.poll(() => seen).toEqual([['/gone'], ['/renewed']]);
  await applications[Symbol.asyncDispose]();
});

test('masks values of variables in process output', async () => {
  const started = Promise.withResolvers<(line: string) => void>();
  const { applications, lines } = start({
    launcher: {
      give: async () => undefined,
      launch: async ({ onLine }: { onLine: (line: string) => void }) => {
        started.resolve(onLine);
        const ended = Promise.withResolvers<Ending>();
        const stop = () => {
          ended.resolve(ENDED);
          return ended.promise;
        };
        return { directory: '/nowhere', pid: 1, ended: ended.promise, stop };
      },
    } as unknown as ApplicationsOptions['launcher'],
  });
  const refused = expect(applications.poolOf(CONTENT).acquire()).rejects.toThrow();
  const print = await started.promise;
  print('TOKEN=hunter22 was refused');
  await applications.end(CONTENT.guid);
  await refused;
  expect(lines).toContain('TOKEN=*** was refused');
  expect(lines.join()).not.toContain('hunter22');
});

test.each([
  [{ ...ENDED, code: 1, message: 'ended with code 1' }, 1],
  [ENDED, 0],
  [{ ...ENDED, code: null, isLost: true, message: 'was lost: the container engine stopped' }, 0],
])('counts a process that exits as crashed only if it failed: %o', async (ending, crashes) => {
  const told: unknown[] = [];
  const { applications } = start({
    launcher: {
      give: async () => undefined,
      launch: async () => {
        const ended = Promise.resolve(ending);
        return { directory: '/nowhere', pid: 1, ended, stop: () => ended };
      },
    } as unknown as ApplicationsOptions['launcher'],
    onCrash: async (crash) => void told.push(crash.ending.message),
  });
  await expect(applications.poolOf(CONTENT).acquire()).rejects.toThrow();
  await applications.end(CONTENT.guid);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toHaveLength(crashes);
});

test.each([
  [new Error('exec format error'), 1],
  [new Outage('the container engine does not respond'), 0],
])('counts a start that fails only if that is not for an outage: %s', async (cause, failures) => {
  const told: unknown[] = [];
  const launcher = { give: async () => undefined, launch: () => Promise.reject(cause) };
  const { applications } = start({
    launcher: launcher as unknown as ApplicationsOptions['launcher'],
    onFailedStart: async (failed) => void told.push(failed),
  });
  await expect(applications.poolOf(CONTENT).acquire()).rejects.toThrow();
  expect(told).toHaveLength(failures);
});

test('serves a request from before a deploy with the new deploy and keeps its processes', async () => {
  const { applications, launched } = start();
  const before = { ...CONTENT, last_deployed_time: 1 };
  const now = { ...CONTENT, site: '2-b', bundle_id: 2, last_deployed_time: 2 };
  const waiting = expect(applications.poolOf(now).acquire()).rejects.toThrow();
  await expect.poll(() => launched).toHaveLength(1);
  // The row was read before the deploy. No process runs that version.
  expect(applications.poolOf(before)).toBe(applications.poolOf(now));
  applications.changed(before, []);
  applications.follow([before], new Map());
  expect(applications.poolOf(now).processes).toBe(1);
  expect(launched).toEqual([{ isStopped: false }]);
  await applications.end(CONTENT.guid);
  await waiting;
});

test('a reactivated deploy gets new processes while its old ones end', async () => {
  const { applications, launched } = start();
  const other = { ...CONTENT, site: '2-b', bundle_id: 2 };
  const waiting = expect(applications.poolOf(CONTENT).acquire()).rejects.toThrow();
  await expect.poll(() => launched).toHaveLength(1);
  applications.changed(other, []);
  applications.changed(CONTENT, []);
  const again = expect(applications.poolOf(CONTENT).acquire()).rejects.toThrow();
  await expect.poll(() => launched).toHaveLength(2);
  await applications.end(CONTENT.guid);
  await Promise.all([waiting, again]);
  expect(launched).toEqual([{ isStopped: true }, { isStopped: true }]);
});

test('missing files fail the start, and the log names the remedy without the path', async () => {
  const give = async () => {
    throw Object.assign(new Error("ENOENT: no such file or directory, stat '/srv/1'"), { code: 'ENOENT' });
  };
  const launcher = { give } as unknown as ApplicationsOptions['launcher'];
  const { applications, lines } = start({ launcher });
  await expect(applications.poolOf(CONTENT).acquire()).rejects.toMatchObject({ status: 502 });
  expect(lines).toContain('Could not be launched: its files are no longer on this server: deploy it again');
  expect(lines.join()).not.toContain('/srv');
});

test('another account ends the processes of the earlier one, which could no longer read its files', async () => {
  const { applications, launched } = start();
  const other = { ...CONTENT, run_as: 'games' };
  const ended = expect(applications.poolOf(CONTENT).acquire()).rejects.toThrow();
  await expect.poll(() => launched).toHaveLength(1);
  applications.changed({ ...CONTENT, title: 'Another' } as ContentRow, []);
  expect(launched).toEqual([{ isStopped: false }]);
  applications.changed(other, []);
  const next = expect(applications.poolOf(other).acquire()).rejects.toThrow();
  await expect.poll(() => launched).toEqual([{ isStopped: true }, { isStopped: false }]);
  await applications.end(CONTENT.guid);
  await Promise.all([ended, next]);
});
