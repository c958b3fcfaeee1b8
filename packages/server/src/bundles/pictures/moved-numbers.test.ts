import { expect, test } from 'vitest';
import { movedNumbers, numberIn, tablesOf } from './moved-numbers.ts';

const table = (rows: readonly (readonly string[])[], caption = '') => {
  const [head = [], ...body] = rows;
  const cells = (tag: string, row: readonly string[]) =>
    row.map((text) => `<${tag}>${text}</${tag}>`).join('');
  const lines = body.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
  return `<h1>Sales</h1><table class="x">${caption && `<caption>${caption}</caption>`}
<thead><tr>${cells('th', head)}</tr></thead><tbody>${lines}</tbody></table>`;
};

test.each([
  ['12', 12],
  ['-1.5', -1.5],
  ['−3 %', -3],
  ['$1,234,567.80', 1_234_567.8],
  ['1’200 CHF', 1200],
  ['3,5', 3.5],
  ['1.2e-3', 0.0012],
  ['12 of 20', null],
  ['2026-11-23', null],
  ['North', null],
  ['', null],
])('parses %s as %s', (text, value) => {
  expect(numberIn(text)).toBe(value);
});

test('movedNumbers finds changed numbers by table, row and column, largest change first', () => {
  const before = table(
    [
      ['Region', 'Sales', 'Share'],
      ['North', '1,000', '40 %'],
      ['South', '0', '60 %'],
      ['East', '7', '1 %'],
    ],
    'By region',
  );
  // One row was added and one moved: rows are matched by name.
  const after = table(
    [
      ['Region', 'Sales', 'Share'],
      ['West', '5', '1 %'],
      ['South', '10', '60 %'],
      ['North', '1,100', '38 %'],
      ['East', '7', '1 %'],
    ],
    'By region',
  );
  expect(movedNumbers(before, after)).toEqual([
    {
      table: 'By region',
      row: 'South',
      column: 'Sales',
      before: '0',
      after: '10',
      difference: 10,
      percent: null,
    },
    {
      table: 'By region',
      row: 'North',
      column: 'Sales',
      before: '1,000',
      after: '1,100',
      difference: 100,
      percent: 10,
    },
    {
      table: 'By region',
      row: 'North',
      column: 'Share',
      before: '40 %',
      after: '38 %',
      difference: -2,
      percent: -5,
    },
  ]);
  expect(movedNumbers(after, after)).toEqual([]);
});

test('movedNumbers identifies tables without captions, headers or names by position', () => {
  const of = (value: string) =>
    `<table><tr><td>1</td><td>${value}</td></tr><tr><td>2</td><td>8</td></tr></table>`;
  expect(movedNumbers(of('4') + of('5'), of('4') + of('6'))).toEqual([
    {
      table: 'Table 2',
      row: 'Row 1',
      column: 'Column 2',
      before: '5',
      after: '6',
      difference: 1,
      percent: 20,
    },
  ]);
});

test('movedNumbers keeps duplicate names apart and treats markup in cells as text', () => {
  const of = (last: string) =>
    table([
      ['', 'a', 'a'],
      ['<b>x</b>', '1', '2'],
      ['x', '3', `<script>alert(1)</script><i>${last}</i>`],
    ]);
  const [moved] = movedNumbers(of('4'), of('5'));
  expect(moved).toBeUndefined();
  const plain = (last: string) =>
    table([
      ['', 'a', 'a'],
      ['x', '1', '2'],
      ['x', '3', last],
    ]);
  expect(movedNumbers(plain('4'), plain('5'))).toMatchObject([{ row: 'x (2)', column: 'a (2)' }]);
});

test('movedNumbers leaves out differences that no number can hold', () => {
  expect(movedNumbers(table([['a', '-1e308']]), table([['a', '1e308']]))).toEqual([]);
});

test('tablesOf reads unclosed, deeply nested and endless pages only up to its limits', () => {
  expect(tablesOf('<table '.repeat(200_000))).toEqual([]);
  expect(tablesOf('<table><tr><td>'.repeat(8000) + '</table>')).toHaveLength(1);
  expect(tablesOf(`<table>${'<tr><td>1</td></tr>'.repeat(200_000)}</table>`)).toEqual([]);
  expect(tablesOf(`<table>${'<tr><td>1</td></tr>'.repeat(6000)}</table>`)[0]!.rows.size).toBe(5000);
  expect(tablesOf(`<table><tr><td>${'<b>'.repeat(500)}1</td></tr></table>`)).toHaveLength(1);
  expect(tablesOf(`<table><tr><td>${'<b>'.repeat(30_000)}1</td></tr></table>`)).toEqual([]);
  // Each paragraph repeats all open tags: 100 KiB would become millions of tags, and take minutes.
  const open = Array.from({ length: 500 }, (_, i) => `<b a=${i}>`).join('');
  const repeated = `<table><tr><td><p>${open}${'<p>x'.repeat(10_000)}</td></tr></table>`;
  expect(tablesOf(repeated + '<table><tr><td>1</td></tr></table>')).toEqual([]);
});
