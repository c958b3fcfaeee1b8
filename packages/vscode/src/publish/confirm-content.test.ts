import type { Inspection } from '@pressroom/api/publish';
import { expect, test } from 'vitest';
import { ordered } from './confirm-content.ts';

const inspection = {
  dir: '/work',
  candidates: [
    { appmode: 'shiny', primary: 'app.R' },
    { appmode: 'rmd-static', primary: 'a.Rmd' },
    { appmode: 'rmd-static', primary: 'b.Rmd' },
  ],
} as Inspection;
const first = (file: string | undefined) => ordered(inspection, file)[0]?.primary;

test('content that starts from the open file comes first', () => {
  expect(first('/work/b.Rmd')).toBe('b.Rmd');
  expect(first('/work/app.R')).toBe('app.R');
  expect(first(undefined)).toBe('app.R');
  expect(first('/work/data.csv')).toBe('app.R');
  expect(first('/work/old/b.Rmd')).toBe('app.R');
  expect(ordered(inspection, '/work/b.Rmd')).toHaveLength(3);
});
