// Covers the text about links that people read before they delete content.
import { expect, test } from 'vitest';
import { InvalidResponseError, RefusedError } from '../client/failures.ts';
import { contentLinks, describeLinks } from './content-links.ts';

const CALL = { operation: 'getContentLinks', server: 'https://connect.example' };

const named = (...titles: string[]) =>
  titles.map((content_title) => ({ content_guid: crypto.randomUUID(), content_name: 'name', content_title }));

test.each([
  [[], 0, ''],
  [named('A'), 1, 'A links to it.'],
  [named('A', 'B'), 2, 'A and B link to it.'],
  [named('A', 'B', 'C'), 3, 'A, B and C link to it.'],
  [named('A'), 2, 'A and 1 other content item link to it.'],
  [named('A', 'B', 'C', 'D', 'E', 'F', 'G'), 9, 'A, B, C, D, E and 4 other content items link to it.'],
  // Items that the reader may not see are only counted.
  [[], 1, '1 content item links to it.'],
  [[], 3, '3 content items link to it.'],
])('describes %o of %i: %s', (results, total, said) => {
  expect(describeLinks({ results, total })).toBe(said);
});

test('uses the name of content without a title', () => {
  const results = [{ content_guid: crypto.randomUUID(), content_name: 'sales', content_title: null }];
  expect(describeLinks({ results, total: 1 })).toBe('sales links to it.');
});

test.each([
  new RefusedError({ ...CALL, status: 404, code: 2, message: 'Not found', payload: null }),
  new InvalidResponseError({ ...CALL, status: 404, kind: 'html', message: '' }),
])('returns null when the server does not know links: $name', async (failure) => {
  const getContentLinks = () => Promise.reject(failure);
  await expect(contentLinks({ getContentLinks }, 'guid')).resolves.toBeNull();
});
