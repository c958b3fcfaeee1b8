// Covers suggestions for mistyped names.
import { expect, test } from 'vitest';
import { distance, nearest } from './nearest.ts';

test('swapped, missing and wrong letters count as one each', () => {
  expect(distance('status', 'stauts')).toBe(1);
  expect(distance('status', 'staus')).toBe(1);
  expect(distance('', 'abc')).toBe(3);
  expect(nearest('depoly', ['delete', 'deploy', 'deploys'])[0]).toBe('deploy');
  expect(nearest('zzzzzz', ['deploy', 'status'])).toEqual([]);
});
