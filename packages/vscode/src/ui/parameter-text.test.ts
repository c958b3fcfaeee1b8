import type { Parameter } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { hintOf, isSettable, problemOf, valueText, valuesText } from './parameter-text.ts';

const parameter = (changes: Partial<Parameter>): Parameter => ({
  name: 'region',
  label: 'Region',
  help: null,
  input: 'text',
  value: 'North',
  expression: null,
  choices: null,
  multiple: false,
  min: null,
  max: null,
  step: null,
  ...changes,
});
const year = parameter({ input: 'slider', value: 2026, min: 2020, max: 2030 });

test('validates input by the type and limits of the parameter', () => {
  expect(problemOf(year, '2025')).toBeUndefined();
  expect(problemOf(year, '2031')).toBe('Enter a value from 2020 to 2030.');
  expect(problemOf(year, '2019')).toBe('Enter a value from 2020 to 2030.');
  expect(problemOf(year, 'soon')).toBe('Enter a number.');
  const day = parameter({ input: 'date', value: null, min: '2026-01-01' });
  expect(problemOf(day, '31.5.2026')).toBe('Enter a date such as 2026-05-31.');
  expect(problemOf(day, '2025-12-31')).toBe('Enter a value from 2026-01-01.');
  expect(problemOf(day, '2026-12-31')).toBeUndefined();
  expect(problemOf(parameter({ input: 'datetime' }), '2026-05-31')).toContain('Enter a time');
});

test('accepts empty input as the default, and any text', () => {
  expect(problemOf(year, ' ')).toBeUndefined();
  expect(problemOf(parameter({}), '"); DROP TABLE')).toBeUndefined();
});

test('shows values by the labels of their choices', () => {
  const choices = [
    { label: 'The North', value: 'n' },
    { label: 'The South', value: 's' },
  ];
  expect(valueText(parameter({ choices, value: 'n' }), undefined)).toBe('The North');
  expect(valueText(parameter({ choices, value: ['n'], multiple: true }), ['n', 's'])).toBe(
    'The North, The South',
  );
  expect(valueText(parameter({ input: 'checkbox', value: false }), undefined)).toBe('No');
  expect(valueText(parameter({ input: 'checkbox', value: false }), 'true')).toBe('Yes');
  expect(valueText(parameter({ value: null, expression: 'Sys.Date()' }), undefined)).toBe(
    'computed by the document',
  );
  expect(valuesText({ region: ['n', 's'], year: 2025 })).toBe('region = n, s · year = 2025');
});

test('hints at accepted values, and cannot set passwords and files', () => {
  expect(hintOf(year)).toBe('Region · from 2020 to 2030');
  expect(hintOf(parameter({ input: 'date', help: 'The first day' }))).toBe('The first day · 2026-05-31');
  const inputs = ['password', 'file', 'text'] as const;
  expect(inputs.map((input) => isSettable(parameter({ input })))).toEqual([false, false, true]);
});
