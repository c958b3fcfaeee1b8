// How a search for content is read.
import { expect, test } from 'vitest';
import { parseSearch } from './query.ts';

const none = { words: [], owners: [], types: [], tags: [] };

test.each([
  ['', none],
  ['Sales  REPORT', { ...none, words: ['sales', 'report'] }],
  ['"sales report" 2026', { ...none, words: ['sales report', '2026'] }],
  ['owner:@me tag:"My team" x', { words: ['x'], owners: ['@me'], types: [], tags: ['my team'] }],
  ['TYPE:api type:Shiny', { ...none, types: ['api', 'shiny'] }],
  ['http://example.com', { ...none, words: ['http://example.com'] }],
  ['owner:', { ...none, words: ['owner:'] }],
  ['tag:""', none],
  ['"open', { ...none, words: ['"open'] }],
])('%s', (text, expected) => {
  expect(parseSearch(text)).toEqual(expected);
});
