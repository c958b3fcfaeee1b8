import { ERRORS, type ErrorCode } from './table.ts';

/** The body of every error answer (contract, section 2 "APIError"). */
export interface ApiErrorBody {
  code: number;
  error: string;
  payload: Record<string, unknown> | null;
}

export interface ApiErrorOptions {
  /** Replaces the default message of the table. */
  message?: string;
  /** Details for a program; never secrets. */
  payload?: Record<string, unknown>;
  cause?: unknown;
  /** In place of the table's, for what the table has no code for: too many at once, or too often. */
  status?: 429 | 503;
  /** Seconds, with such a status. */
  retryAfter?: number;
}

/** A refusal by the API's own rules: a code of the table (contract, section 7) and its HTTP status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly payload: Record<string, unknown> | null;
  /** Seconds after which the same may be asked again; null: nothing is said about that. */
  readonly retryAfter: number | null;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const { status, message } = ERRORS[code];
    super(options.message ?? message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? status;
    this.payload = options.payload ?? null;
    this.retryAfter = options.retryAfter ?? null;
  }

  toJSON(): ApiErrorBody {
    return { code: this.code, error: this.message, payload: this.payload };
  }
}
