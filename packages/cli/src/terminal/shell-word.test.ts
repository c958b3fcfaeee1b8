import { expect, test } from 'vitest';
import { shellWord } from './shell-word.ts';

test.each([
  ['report.Rmd', 'report.Rmd'],
  ['Übersicht-2026_a/b', 'Übersicht-2026_a/b'],
  ['my report.Rmd', `'my report.Rmd'`],
  ["Ada's $(rm) `x`", `'Ada'\\''s $(rm) \`x\`'`],
  ['', `''`],
  ['a=b', `'a=b'`],
])('%j is written as %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
