import { expect, test } from 'vitest';
import { isAddress, readLine } from './python-line.ts';

test.each([
  ['a%!', ' ', 'other'],
  ['a;%:', ' ', 'other'],
  ['a.zip%[', ' ', 'other'],
  ['a==1%,!', ', ==1', 'other'],
  ['a%', 'a', 'name'],
])('reads a line as long as its file without delay: %s', (pattern, repeated, kind) => {
  const line = pattern.replace('%', repeated.repeat(200_000 / repeated.length));
  const begun = process.threadCpuUsage();
  expect(readLine(line).kind).toBe(kind);
  expect(isAddress(line)).toBe(false);
  expect(process.threadCpuUsage(begun).user / 1000).toBeLessThan(2000);
});
