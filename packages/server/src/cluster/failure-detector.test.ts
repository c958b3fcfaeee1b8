// Covers which servers the others consider failed.
import { expect, test } from 'vitest';
import { createFailureDetector } from './failure-detector.ts';

function watch() {
  let time = 0;
  const detector = createFailureDetector({ lostMs: 20, gapMs: 12, now: () => time });
  return (after: number, sign: number) => {
    time += after;
    return detector.look([['one', sign]]);
  };
}

test('reports a server as silent after the timeout until its next heartbeat', () => {
  const look = watch();
  expect([look(0, 1), look(10, 1), look(10, 1)]).toEqual([[], [], []]);
  expect(look(1, 1)).toEqual(['one']);
  expect(look(1, 2)).toEqual([]);
  expect(look(10, 2)).toEqual([]);
});

test('reports no server as silent after a gap in which the observer was paused', () => {
  const look = watch();
  expect(look(0, 1)).toEqual([]);
  expect(look(60, 1)).toEqual([]);
  expect([look(10, 1), look(10, 1)]).toEqual([[], []]);
  expect(look(1, 1)).toEqual(['one']);
});
