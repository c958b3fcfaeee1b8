import { mkdtemp, rm } from 'node:fs/promises';
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

test('who follows a log reads each line once and in order, also where it is put aside meanwhile', async () => {
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
  // 2.5 MB in all: it is put aside twice.
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
