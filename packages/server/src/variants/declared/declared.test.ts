// Covers parameters that documents declare, and which values are valid.
import type { Parameter } from '@pressroom/api/contract';
import { describe, expect, test } from 'vitest';
import { frontMatterParameters } from '../../runtime/kinds/parameters/front-matter.ts';
import { notebookParameters } from '../../runtime/kinds/parameters/notebook.ts';
import { checkValues } from './check-values.ts';

const declare = (params: string) =>
  frontMatterParameters(`---\ntitle: x\nparams:\n${params}\noutput: html_document\n---\n`);
const inputs = (parameters: readonly Parameter[]) =>
  Object.fromEntries(parameters.map(({ name, input }) => [name, input]));

describe('Declared parameters', () => {
  test('have types, as R reads them: n is a name and not false', () => {
    const found = declare(
      [
        '  n: 6',
        '  region: North',
        '  flag: true',
        '  from: !r Sys.Date() - 30',
        '  at: !expr as.POSIXct("2026-01-01")',
        '  year: { value: 2024, min: 2020, max: 2026, step: 2, label: Fiscal year }',
        '  pick: { choices: [a, b], value: a }',
        '  named: { choices: { "The North": n, South: s }, value: n, input: radio }',
        '  many: { choices: [1, 2, 3], value: [1, 2], multiple: true }',
        '  secret: { input: password, value: hunter2 }',
        '  upload: { input: file, value: data.csv }',
      ].join('\n'),
    );
    expect(inputs(found)).toEqual({
      n: 'number',
      region: 'text',
      flag: 'checkbox',
      from: 'date',
      at: 'datetime',
      year: 'slider',
      pick: 'select',
      named: 'radio',
      many: 'select',
      secret: 'password',
      upload: 'file',
    });
    expect(found.find(({ name }) => name === 'from')).toMatchObject({
      value: null,
      expression: 'Sys.Date() - 30',
    });
    expect(found.find(({ name }) => name === 'named')?.choices?.[0]).toEqual({
      label: 'The North',
      value: 'n',
    });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  test('refuse a very long text for a number without delay', () => {
    // With backtracking at each digit, it would take minutes.
    const value = `${'1'.repeat(500_000)}x`;
    expect(() => checkValues(declare('  n: 6'), { n: value })).toThrow('n must be a number');
  });

  test('are empty for hostile, broken or missing front matter, without delay', () => {
    const nested = `  a: ${'['.repeat(8000)}`;
    const bombs = `  a: &a [${'x, '.repeat(50)}]\n  b: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]`;
    for (const params of [nested, bombs, '  - list', `  a: ${'x'.repeat(20_000)}`, '  a: "unended']) {
      expect(declare(params)).toEqual([]);
    }
    expect(frontMatterParameters('no front matter\nparams:\n  a: 1')).toEqual([]);
  });
});

test('reads notebook parameters from the tagged cell, described by its front matter', () => {
  const cells = [
    { cell_type: 'raw', source: '---\nparams:\n  n: {value: 1, min: 1, max: 9, label: Count}\n---' },
    {
      cell_type: 'code',
      metadata: { tags: ['parameters'] },
      source: [
        "region = 'No\\'rth # x'  # type: str - where\n",
        'n = 5\n',
        'flag: bool = True\n',
        'day = date.today()\n',
        'items = ["a", "b"]\n',
        'x == 4\n',
        'print("y = 1")',
      ],
    },
    { cell_type: 'code', source: 'later = 1' },
  ];
  const found = notebookParameters(JSON.stringify({ cells }));
  expect(found).toMatchObject([
    { name: 'region', value: "No'rth # x", help: 'where', input: 'text' },
    { name: 'n', value: 5, label: 'Count', input: 'slider', max: 9 },
    { name: 'flag', value: true, input: 'checkbox' },
    { name: 'day', value: null, expression: 'date.today()' },
    { name: 'items', value: ['a', 'b'], multiple: true },
  ]);
  expect(found).toHaveLength(5);
  expect(notebookParameters('{"cells": [null, 1, "x"]}')).toEqual([]);
});

describe('Parameter values', () => {
  const declared = declare(
    [
      '  text: x',
      '  flag: false',
      '  year: { value: 2024, min: 2020, max: 2026, step: 2 }',
      '  day: { input: date, value: 2024-01-01, min: 2024-01-01 }',
      '  at: { input: datetime, value: !r Sys.time() }',
      '  from: { input: datetime, value: "2026-01-01T06:00" }',
      '  pick: { choices: [a, 2], value: a }',
      '  many: { choices: [1, 2, 3], value: [1], multiple: true }',
      '  secret: { input: password, value: x }',
    ].join('\n'),
  );

  test('are parsed from text by type, and empty ones fall back to the default', () => {
    const given = {
      text: '',
      flag: 'on',
      year: '2022',
      day: '',
      at: '2026-02-28T10:30',
      from: '2026-02-28T10:30',
      pick: '2',
      many: ['1', '3'],
    };
    expect(checkValues(declared, given)).toEqual({
      text: '',
      flag: true,
      year: 2022,
      // R before 4.3 would ignore the time after a T.
      at: '2026-02-28 10:30',
      from: '2026-02-28T10:30',
      pick: 2,
      many: [1, 3],
    });
  });

  test.each([
    [{ year: 2021 }, 'in steps of 2'],
    [{ year: 2028 }, 'between 2020 and 2026'],
    [{ year: '0x7e8' }, 'must be a number'],
    [{ year: Number.NaN }, 'must be a number'],
    [{ year: [2022, 2024] }, 'takes text, a number, or true or false'],
    [{ day: '2024-02-30' }, 'must be a date'],
    [{ day: '2023-12-31' }, 'at least 2024-01-01'],
    [{ at: 'now' }, 'must be a time'],
    [{ pick: 'b' }, 'must be one of: a, 2'],
    [{ many: [4] }, 'must be one of: 1, 2, 3'],
    [{ flag: 'maybe' }, 'must be true or false'],
    [{ text: 'a\u001bb' }, 'must not have control characters'],
    [{ text: '\ud800' }, 'must not have control characters'],
    [{ text: 'x'.repeat(10_001) }, 'at most 10000 characters'],
    [{ secret: 'y' }, 'cannot be set'],
    [JSON.parse('{"__proto__": 1}') as object, 'there is no parameter'],
  ])('are rejected with the reason when the document does not accept them: %j', (given, words) => {
    expect(() => checkValues(declared, given as Record<string, unknown>)).toThrow(words);
  });

  test('are rejected for a document without parameters', () => {
    expect(checkValues([], {})).toEqual({});
    expect(() => checkValues([], { a: 1 })).toThrow('has no parameters');
  });
});
