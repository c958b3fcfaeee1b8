import { ERRORS, type ErrorCode, type ErrorDefinition } from './table.ts';

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
  /** The field of the request that is refused, such as `sources[0].address`, if the table does not know it. */
  field?: string;
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
  /** The field of the request that is refused; null if it is not about one. */
  readonly field: string | null;
  /** Seconds after which the request may be repeated; null if unknown. */
  readonly retryAfter: number | null;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const { status, message, field }: ErrorDefinition = ERRORS[code];
    super(options.message ?? message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? status;
    this.payload = options.payload ?? null;
    this.field = options.field ?? field ?? null;
    this.retryAfter = options.retryAfter ?? null;
  }

  toJSON(): ApiErrorBody {
    return { code: this.code, error: this.message, payload: this.payload };
  }
}
