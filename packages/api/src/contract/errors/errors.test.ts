import { expect, expectTypeOf, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { errors } from './errors.ts';
import { ERRORS, type ErrorName } from './table.ts';

test('has one constructor for each code, which creates the error of that code', () => {
  const made = Object.entries(errors).map(([name, make]) => [name, make().code]);
  const table = Object.entries(ERRORS).map(([code, { name }]) => [name, Number(code)]);
  expect(made).toEqual(table);
  expect(new Set(made.map(([name]) => name)).size).toBe(145);
});

test('takes status and message from the table unless options override them', () => {
  expect(errors.contentTypeFixed()).toMatchObject({ code: 48, status: 403, message: ERRORS[48].message });
  const cause = new Error('disk');
  const error = errors.internal({ message: 'The disk is full.', payload: { free: 0 }, cause });
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: 1, message: 'The disk is full.', payload: { free: 0 }, cause });
});

test('ErrorName has the names of the table', () => {
  expectTypeOf<ErrorName>().extract<'contentTypeFixed' | 'gitDisabled'>().not.toBeNever();
  expectTypeOf<Extract<ErrorName, 'noSuchError'>>().toBeNever();
  expectTypeOf(errors.notFound()).toEqualTypeOf<ApiError>();
});
