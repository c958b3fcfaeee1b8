// Covers names that programs and people give to what they sign in with.
import { expect, test } from 'vitest';
import { shownName } from './present.ts';

test('a long name is cut, and only its beginning is read', () => {
  expect(shownName(`${'a'.repeat(79)} phone`)).toBe('a'.repeat(79));
  // A megabyte of them would keep the server from answering for minutes.
  const marks = '\u0315\u0301'.repeat(400);
  expect(shownName(`x${marks} phone`)).toMatch(/^x\p{M}{2} phone$/u);
  expect(shownName(`x${marks.repeat(2)} phone`)).toMatch(/^x\p{M}{2}$/u);
});
