// Covers help on narrow terminals.
import { expect, test } from 'vitest';
import { wrapLine } from './wrap-line.ts';

test.each([
  ['Short.', ['Short.']],
  ['A sentence that goes on and on, to its end.', ['A sentence that goes on and', 'on, to its end.']],
  [
    '  --wait     Whether a person makes it live',
    ['  --wait     Whether a person', '             makes it live'],
  ],
  // The second column is too far on the right.
  ['  preview delete NAME|BUNDLE  Discard a preview', ['  preview delete NAME|BUNDLE  Discard a preview']],
  ['  https://content.example.com/a/long/address', ['  https://content.example.com/a/long/address']],
])('wraps %j', (line, wanted) => {
  expect(wrapLine(line, 30)).toEqual(wanted);
});
