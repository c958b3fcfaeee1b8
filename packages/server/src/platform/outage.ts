// A temporary failure of a dependency: an S3 store, a container engine.
import { ApiError } from '@pressroom/api/contract';

/** The dependency is expected to return: what failed may be retried. */
export class Outage extends Error {
  override readonly name: string = 'Outage';
}

/** Whether an error, or its cause, is an outage; for an ApiError by its status 503. */
export function isOutage(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof Outage || (at instanceof ApiError && at.status === 503)) return true;
  return false;
}
