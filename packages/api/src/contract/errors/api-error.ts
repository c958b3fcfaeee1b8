import { ERRORS, type ErrorCode } from './table.ts';

/** The body of error responses (contract, section 2 "APIError"). */
export interface ApiErrorBody {
  code: number;
  error: string;
  payload: Record<string, unknown> | null;
}

export interface ApiErrorOptions {
  /** Replaces the default message of the table. */
  message?: string;
  /** Details for programs; never secrets. */
  payload?: Record<string, unknown>;
  cause?: unknown;
  /**
   * Replaces the status of the table, for too many concurrent or too frequent requests, which have no code of their
   * own.
   */
  status?: 429 | 503;
  /** Seconds, with such a status. */
  retryAfter?: number;
}

/** An API error: a code of the table (contract, section 7) and its HTTP status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly payload: Record<string, unknown> | null;
  /** Seconds after which the request may be repeated; null if unknown. */
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
