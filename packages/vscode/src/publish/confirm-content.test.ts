import type { Inspection } from '@pressroom/api/publish';
import { expect, test } from 'vitest';
import { ordered } from './confirm-content.ts';

const inspection = {
  dir: '/project',
  candidates: [
    { appmode: 'shiny', primary: 'app.R' },
    { appmode: 'rmd-static', primary: 'a.Rmd' },
    { appmode: 'rmd-static', primary: 'b.Rmd' },
  ],
} as Inspection;
const first = (file: string | undefined) => ordered(inspection, file)[0]?.primary;

test('content that starts from the open file comes first', () => {
  expect(first('/project/b.Rmd')).toBe('b.Rmd');
  expect(first('/project/app.R')).toBe('app.R');
  expect(first(undefined)).toBe('app.R');
  expect(first('/project/data.csv')).toBe('app.R');
  expect(first('/project/old/b.Rmd')).toBe('app.R');
  expect(ordered(inspection, '/project/b.Rmd')).toHaveLength(3);
});
