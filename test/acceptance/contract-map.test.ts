// Checks the contract map: every row of the contract has a test, and everything named exists.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, ERRORS, operations } from '@pressroom/api/contract';
import { describe, expect, test } from 'vitest';
import {
  cellsOf,
  CODES,
  LIMITS,
  LIMITS_WITHOUT_OPERATION,
  OPERATIONS,
  RULES,
  type Cell,
} from './contract-map.ts';

const sourceOf = (file: string) => readFileSync(join(import.meta.dirname, `${file}.test.ts`), 'utf8');
const SERVER = join(import.meta.dirname, '../../packages/server/src');
const page = readFileSync(join(import.meta.dirname, '../../docs/reference/error-codes.md'), 'utf8');

/** Returns the titles of a file's tests as written in its source. */
function titlesOf(file: string): string[] {
  const titles = /(?:\btest|\])\s*(?:\.each\([^]*?\))?\)?\(\s*(['"`])([^]*?)\1,/g;
  return [...sourceOf(file).matchAll(titles)].map((match) => match[2]!);
}

const codes = new Map(Object.entries(ERRORS).map(([code, { name }]) => [name, code]));

/** Returns the code of a named error; empty for other words. */
function codesOf(name = ''): string[] {
  const code = codes.get(name as (typeof ERRORS)[keyof typeof ERRORS]['name']);
  return code === undefined ? [] : [code];
}

describe.each([
  ['operation', OPERATIONS],
  ['rule', RULES],
  ['limit', LIMITS],
  ['code', CODES],
])('Contract map: every %s', (_what, table) => {
  test.each(cellsOf(table).map((cell): [string, Cell] => [cell.row, cell]))(
    '%s has its test',
    (_row, cell) => {
      expect(cell.file).not.toBe('');
      expect(cell.name).not.toBe('');
      expect(titlesOf(cell.file).filter((title) => title.includes(cell.name))).not.toEqual([]);
    },
  );
});

test('maps no row twice, and maps every operation of the contract', () => {
  for (const table of [OPERATIONS, RULES, LIMITS, CODES]) {
    const rows = cellsOf(table).map((cell) => cell.row);
    expect(rows).toEqual([...new Set(rows)]);
  }
  const contract = (Object.values(operations) as Endpoint[]).filter(({ origin }) => origin === 'contract');
  const mapped = cellsOf(OPERATIONS).map((cell) => cell.row);
  expect(mapped.toSorted()).toEqual(contract.map(({ operationId }) => operationId).toSorted());
  expect(mapped).toHaveLength(31);
});

test.each(cellsOf(CODES).map(({ row, file }) => [row, file]))(
  'code %s appears in the tests of %s',
  (code, file) => {
    // Error 42 shows on a page, as text. The others are in responses.
    const shown = { 42: 'already confirmed' }[code];
    expect(sourceOf(file)).toMatch(shown ? new RegExp(shown) : new RegExp(`\\b${code}\\b`));
  },
);

test('each of the 145 codes is either tested or in docs/reference/error-codes.md', () => {
  const tested = cellsOf(CODES).map(({ row }) => Number(row));
  const written = [...page.matchAll(/^\| (\d+) \| (\d+) \| (.+) \|$/gm)];
  const all = Object.keys(ERRORS).map(Number);
  expect(all).toHaveLength(145);
  expect([...tested, ...written.map(([, code]) => Number(code))].sort((a, b) => a - b)).toEqual(all);
  for (const [, code, status, meaning] of written) {
    expect([Number(status), meaning]).toEqual([
      ERRORS[Number(code) as keyof typeof ERRORS].status,
      ERRORS[Number(code) as keyof typeof ERRORS].message,
    ]);
  }
});

test('the server throws no code of that page except the one for internal failures', () => {
  const sources = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const thrown = sources.flatMap((file) =>
    [...readFileSync(join(SERVER, file), 'utf8').matchAll(/\berrors\.(\w+)\(|'(\w+)'/g)].flatMap(
      ([, name, quoted]) => codesOf(name ?? quoted),
    ),
  );
  const declared = [...JSON.stringify(operations).matchAll(/"x-error":(\d+)/g)].map(([, code]) => code);
  expect([new Set(thrown).size > 50, new Set(declared).size > 10]).toEqual([true, true]);
  const written = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code);
  expect(written.filter((code) => [...thrown, ...declared].includes(code))).toEqual(['1']);
});

test('the page names the limits that no operation has', () => {
  for (const subject of LIMITS_WITHOUT_OPERATION) expect(page).toContain(subject);
});
