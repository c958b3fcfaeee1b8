// What the server depends on and that does not answer for the moment: an S3 store, a container engine.
import { ApiError } from '@pressroom/api/contract';

/** It is expected back: what failed for it may be tried again. */
export class Outage extends Error {
  override readonly name: string = 'Outage';
}

/** Whether an error, or what caused it, is an outage; an ApiError is one by its status 503. */
export function isOutage(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof Outage || (at instanceof ApiError && at.status === 503)) return true;
  return false;
}
