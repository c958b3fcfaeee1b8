// Covers parsing of search queries for content.
import { expect, test } from 'vitest';
import { parseSearch, quoted } from './query.ts';

const none = { words: [], owners: [], types: [], tags: [], states: [] };

test.each([
  ['', none],
  ['Sales  REPORT', { ...none, words: ['sales', 'report'] }],
  ['"sales report" 2026', { ...none, words: ['sales report', '2026'] }],
  ['owner:@me tag:"My team" x', { ...none, words: ['x'], owners: ['@me'], tags: ['my team'] }],
  ['TYPE:api type:Shiny', { ...none, types: ['api', 'shiny'] }],
  ['http://example.com', { ...none, words: ['http://example.com'] }],
  ['state:Published x', { ...none, words: ['x'], states: ['published'] }],
  ['owner:', { ...none, words: ['owner:'] }],
  ['tag:""', none],
  ['tag:"" x', { ...none, words: ['x'] }],
  ['"open', { ...none, words: ['"open'] }],
  ['tag:"The ""new"" one" x', { ...none, words: ['x'], tags: ['the "new" one'] }],
  ['tag:"""x"""', { ...none, tags: ['"x"'] }],
])('parses the search %s', (text, expected) => {
  expect(parseSearch(text)).toEqual(expected);
});

test.each(['plain', 'two words', '"', 'a "b" c', '""', 'x"'])(
  'reads %s as one value when it is quoted',
  (value) => {
    expect(parseSearch(`tag:${quoted(value)} y`)).toEqual({ ...none, words: ['y'], tags: [value] });
  },
);
