// Covers prepared statements of transactions: only where an additional column does not change the result.
import { expect, it } from 'vitest';
import { createPreparedStatements } from './prepared-statements.ts';

function start() {
  const statements = createPreparedStatements();
  statements.know(
    new Map([
      ['task', ['id', 'code']],
      ['rule', ['guid']],
    ]),
  );
  return (text: string, isWithin = true) => statements.of(text, [1], isWithin);
}

it.each([
  ['select * from "task" where "id" = $1', 'select "id", "code" from "task" where "id" = $1'],
  [
    'select "rule".*, "name" from "rule" left join "user" on true where "guid" = $1',
    'select "rule"."guid", "name" from "rule" left join "user" on true where "guid" = $1',
  ],
  [
    'insert into "task" ("id") values ($1) returning *',
    'insert into "task" ("id") values ($1) returning "id", "code"',
  ],
  [
    'select count(*) as "n" from "task" where "id" = $1',
    'select count(*) as "n" from "task" where "id" = $1',
  ],
  ['update "task" set "code" = $1', 'update "task" set "code" = $1'],
])('spells out the columns of %s and prepares it', (text, spelled) => {
  const of = start();
  expect(of(text)).toEqual({ name: 's1', text: spelled, values: [1] });
  expect(of(text).name).toBe('s1');
});

it('prepares no long lists of values, and a limited number of statements', () => {
  const { of } = createPreparedStatements();
  const list = Array.from({ length: 33 }, (_, i) => i);
  expect(of('select 33 values', list, false)).toEqual({ text: 'select 33 values', values: list });
  const names = Array.from({ length: 2000 }, (_, i) => of(`select ${i}, $1`, [1], false).name);
  expect(names.slice(0, 1000).every((name) => name !== undefined)).toBe(true);
  expect(names.slice(1000).every((name) => name === undefined)).toBe(true);
  expect(of('select 0, $1', [1], false).name).toBe(names[0]);
});

it.each([
  'select * from "task" inner join "rule" on true where "id" = $1',
  'select * from "other" where "id" = $1',
])('keeps the star of %s and does not prepare it within a transaction', (text) => {
  const of = start();
  expect(of(text)).toEqual({ text, values: [1] });
  expect(of(text, false)).toMatchObject({ name: expect.any(String), text });
});
