import { expect, test } from 'vitest';
import { findVariant, ParameterValueError, readParameterValues } from './parameter-values.ts';

test('parses words as names and values, and a repeated name as a list', () => {
  expect(readParameterValues(['region=North', 'note=a=b', 'empty=', 'year=1', 'year=2', 'year=3'])).toEqual({
    region: 'North',
    note: 'a=b',
    empty: '',
    year: ['1', '2', '3'],
  });
});

test.each(['North', '=North', '', '__proto__=x', 'constructor=x', 'prototype=x'])('rejects %j', (word) => {
  expect(() => readParameterValues(['a=1', word])).toThrow(ParameterValueError);
});

test('finds a variant by its key, or by its name in any case', () => {
  const variants = [
    { key: 'k1', name: 'North' },
    { key: 'k2', name: 'South' },
  ];
  expect([findVariant(variants, 'k2'), findVariant(variants, 'NORTH')]).toEqual([variants[1], variants[0]]);
  expect(findVariant(variants, 'West')).toBeUndefined();
});
