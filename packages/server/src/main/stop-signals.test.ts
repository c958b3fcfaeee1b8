import { expect, test } from 'vitest';
import { exitCodeOf } from './stop-signals.ts';

test.each([
  [0, null, 0],
  [78, null, 78],
  [null, 'SIGTERM', 0],
  [null, 'SIGKILL', 137],
  [null, 'SIGSEGV', 139],
  [null, null, 1],
] as const)('code %j and signal %s are exit code %i', (code, signal, expected) => {
  expect(exitCodeOf(code, signal)).toBe(expected);
});
