// Covers names of drafts: any branch name gives a valid one.
import { expect, test } from 'vitest';
import { PREVIEW_NAME } from '../../contract/index.ts';
import { previewNameOf } from './preview-name.ts';

test.each([
  ['main', 'main'],
  ['feature/Sales Report', 'feature-sales-report'],
  ['renovate/r-4.x_y', 'renovate-r-4.x_y'],
  ['-ünï/', 'uni'],
  ['fix/Größe', 'fix-grosse'],
  ['統計', null],
  ['a'.repeat(62) + '/b', 'a'.repeat(62)],
  ['../..', null],
  ['', null],
])('derives from %j the name %j', (branch, name) => {
  expect(previewNameOf(branch)).toBe(name);
  if (name !== null) expect(name).toMatch(new RegExp(PREVIEW_NAME));
});
