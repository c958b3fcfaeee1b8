// Covers the counts of canaries: late responses are added, and failed writes are retried.
import { expect, test } from 'vitest';
import { createCanaryCounter } from './counter.ts';
import { storedFigures } from './figures.ts';
import type { CountedFigures } from './store.ts';

const GOOD = { status: 200, ms: 1, isPage: false };
function saving() {
  const saved: [source: string, side: string, requests: number][] = [];
  const save = async (rows: readonly CountedFigures[]) => {
    for (const { source, side, figures } of rows) saved.push([source, side, storedFigures(figures).requests]);
  };
  return { saved, save };
}

test('writes a late response to a new row and keeps the earlier counts', async () => {
  const { saved, save } = saving();
  const counter = createCanaryCounter(save, 'one');
  counter.answered(7, 'canary', GOOD);
  counter.answered(7, 'canary', GOOD);
  // The first counts are not written yet.
  counter.forgetAllBut(new Set());
  await counter.flush();
  counter.forgetAllBut(new Set());
  counter.answered(7, 'canary', GOOD);
  await counter.flush();
  expect(saved.map(([, side, requests]) => [side, requests])).toEqual([
    ['canary', 2],
    ['canary', 1],
  ]);
  expect(saved[0]![0]).not.toBe(saved[1]![0]);
  expect(counter.isDirty).toBe(false);
});

test('writes counts with the next flush after a failed one', async () => {
  const { saved, save } = saving();
  let isAway = true;
  const counter = createCanaryCounter(async (rows) => {
    if (isAway) throw new Error('the database is away');
    await save(rows);
  }, 'one');
  counter.answered(7, 'live', GOOD);
  await expect(counter.flush()).rejects.toThrow('the database is away');
  isAway = false;
  counter.answered(7, 'live', GOOD);
  await counter.flush();
  expect(saved.map(([, , requests]) => requests)).toEqual([2]);
});

test('counts at most one script error for each opened page', async () => {
  const figures: string[] = [];
  const counter = createCanaryCounter(async (rows) => {
    figures.push(...rows.map((row) => row.figures));
  }, 'one');
  counter.answered(7, 'canary', { ...GOOD, isPage: true });
  for (let i = 0; i < 3; i += 1) counter.incident(7, 'canary', 'script_errors');
  await counter.flush();
  expect(storedFigures(figures[0]!)).toMatchObject({ pages: 1, script_errors: 1 });
});
