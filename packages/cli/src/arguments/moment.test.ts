// Covers times that people write.
import { expect, test } from 'vitest';
import { readMoment } from './moment.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');

test.each(['2027-02-30', '2027-04-31T10:00:00Z', '2027-02-29', '2027-13-01', 'soon'])(
  '%s is not a time',
  (text) => {
    expect(() => readMoment(text, NOW)).toThrow(`Not a time: ${text}.`);
  },
);

test.each([
  ['2028-02-29T10:00:00Z', '2028-02-29T10:00:00.000Z'],
  ['2d', '2026-11-28T12:00:00.000Z'],
  ['never', null],
])('reads %s', (text, time) => {
  expect(readMoment(text, NOW)).toBe(time);
});

test('includes a day completely', () => {
  expect(readMoment('2027-01-31', NOW)).toBe(new Date('2027-01-31T23:59:59').toISOString());
});
