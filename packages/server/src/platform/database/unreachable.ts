// The database cannot be reached for now. The log has a line when that begins and one when it is over.
import { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';

/** Seconds of Retry-After. */
const RETRY_AFTER_SECONDS = 5;

/** Error 1 with status 503. */
export class DatabaseUnreachable extends ApiError {
  constructor(cause: unknown) {
    super(1, {
      message: 'The database cannot be reached. Try again in a moment.',
      status: 503,
      retryAfter: RETRY_AFTER_SECONDS,
      cause,
    });
  }
}

/** Logs a failure of work that is tried again soon, except for each try without the database. */
export function failureOf(what: string, log: Logger): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof DatabaseUnreachable)) log.error(error, what);
  };
}
