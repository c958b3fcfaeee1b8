import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { createLogFile, readLogFile, removeLogFile } from './log-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-log-file-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('a reader that follows a log sees each line once and in order across rotation', async () => {
  const path = join(directory, 'a.log');
  let written = 0;
  const options = { clock: systemClock(), log: pino({ level: 'silent' }), onWritten: () => (written += 1) };
  const file = createLogFile(path, options);
  const seen: string[] = [];
  let first = 0;
  const follow = async () => {
    const { entries, last } = await readLogFile(path, first);
    seen.push(...entries.map(({ data }) => data));
    first = last;
  };
  const expected: string[] = [];
  // 2.5 MB in all, so that the log rotates twice.
  for (let i = 0; i < 2500; i++) {
    const line = `${i} ${'x'.repeat(1000)}`;
    expected.push(line);
    file.write(line);
    if (i % 50 === 0) await follow();
  }
  await file.close();
  await follow();
  expect(written).toBeGreaterThan(2000);
  expect(seen.map((line) => line.slice(0, 10))).toEqual(expected.map((line) => line.slice(0, 10)));
  expect((await readLogFile(path, 0)).entries.length).toBeLessThan(2500);
  expect(await readLogFile(path, first)).toEqual({ entries: [], last: 2500 });
  await removeLogFile(path);
  expect(await readLogFile(path, 0)).toEqual({ entries: [], last: 0 });
});

test('continues an existing log after a failed write, with correct line numbers', async () => {
  const path = join(directory, 'a.log');
  // A pipe without a reader fails like a full disk.
  execFileSync('mkfifo', [path]);
  const failed = Promise.withResolvers<void>();
  const log = pino({ level: 'error' }, { write: () => failed.resolve() });
  let now = 1_800_000_000_000_000;
  const reader = await open(path, constants.O_RDWR);
  const file = createLogFile(path, { clock: { now: () => now }, log, onWritten: () => undefined });
  await reader.close();
  file.write('lost');
  await failed.promise;
  await rm(path);
  const time = '2027-01-15T08:00:00.000Z';
  await writeFile(path, `#7\n${time} eighth\n${time} ni`);
  now += 2_000_000;
  file.write('tenth');
  await file.close();
  const { entries, last } = await readLogFile(path, 7);
  expect(entries.map(({ data }) => data)).toEqual(['eighth', 'ni', 'tenth']);
  expect(last).toBe(10);
});

test('retries a log rotation that failed', async () => {
  const path = join(directory, 'log', 'a.log');
  await mkdir(join(directory, 'log'));
  let onWritten = () => undefined as void;
  const options = { clock: systemClock(), log: pino({ level: 'silent' }), onWritten: () => onWritten() };
  const file = createLogFile(path, options);
  // Wait for each line: those that come faster than the disk would be dropped.
  const fill = async () => {
    for (let i = 0; i < 1100; i++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      onWritten = resolve;
      file.write(`${i} ${'x'.repeat(1000)}`);
      await promise;
    }
  };
  await rename(join(directory, 'log'), join(directory, 'away'));
  await fill();
  await rename(join(directory, 'away'), join(directory, 'log'));
  await rename(path, `${path}.1`);
  await fill();
  file.write('at its end');
  await file.close();
  expect((await readLogFile(path, 0)).entries.at(-1)?.data).toBe('at its end');
});

test.each([
  ['a moment later', 2_000_000],
  ['after the clock was set back', -3_600_000_000],
])('a log that cannot be opened at first does not stop its process, and starts %s', async (_when, step) => {
  const path = join(directory, 'content', 'x.log');
  let now = 1_800_000_000_000_000;
  await writeFile(join(directory, 'content'), 'in the way');
  const log = pino({ level: 'silent' });
  const file = createLogFile(path, { clock: { now: () => now }, log, onWritten: () => undefined });
  file.write('lost');
  await rm(join(directory, 'content'));
  now += step;
  file.write('kept');
  await file.close();
  const { entries } = await readLogFile(path, 0);
  expect(entries.map(({ data }) => data)).toEqual(['(1 lines were dropped)', 'kept']);
  const never = createLogFile(join(path, 'x.log'), {
    clock: { now: () => now },
    log,
    onWritten: () => undefined,
  });
  never.write('lost');
  await never.close();
});
