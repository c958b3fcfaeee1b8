import type { StoredRecord } from '@pressroom/api/publish';
import { expect, test } from 'vitest';
import { targetOfFile } from './targets.ts';

const record = (entrypoint: string | null, guid = String(entrypoint)) =>
  ({ guid, entrypoint }) as StoredRecord;

test.each([
  ['report.Rmd', 'report.Rmd'],
  // Published as the page that was rendered from it.
  ['report.html', 'report.Rmd'],
  ['app:app', 'app.py'],
  ['main:make()', 'main.py'],
  ['shop.api:app', 'shop/api.py'],
  ['pages/start.py', 'pages/start.py'],
])('content that starts from %s is the target of %s', (entrypoint, file) => {
  const records = [record('other.Rmd'), record(entrypoint), record(null)];
  expect(targetOfFile(records, records[0], '/a', `/a/${file}`)).toBe(records[1]);
  expect(targetOfFile(records, records[0], '/a', '/a/data.csv')).toBeUndefined();
});

test('of several targets that start from a file, the active one is meant', () => {
  const records = [record('report.Rmd', 'production'), record('report.Rmd', 'staging')];
  expect(targetOfFile(records, records[1], '/a', '/a/report.Rmd')).toBe(records[1]);
});
