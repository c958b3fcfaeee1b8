// The errors of the contract by name: `throw errors.contentTypeFixed()`.
import { ApiError, type ApiErrorOptions } from './api-error.ts';
import { ERRORS, type ErrorCode, type ErrorName } from './table.ts';

type Errors = { readonly [K in ErrorName]: (options?: ApiErrorOptions) => ApiError };

const entries = Object.entries(ERRORS).map(([code, { name }]) => [
  name,
  (options?: ApiErrorOptions) => new ApiError(Number(code) as ErrorCode, options),
]);

/** One constructor per code of the table. */
export const errors = Object.fromEntries(entries) as Errors;
