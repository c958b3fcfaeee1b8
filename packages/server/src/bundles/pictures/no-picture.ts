// The error for a page without a picture.
import { errors } from '@pressroom/api/contract';
import { messageOf } from '../../platform/errors.ts';

/** Adds the subject to the error of the picture service. @param what as in `bundle 7` @throws ApiError */
export function noPicture(what: string) {
  return (error: unknown): never => {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') throw error;
    throw errors.actionNotSupported({ message: `no picture of ${what}: ${messageOf(error)}` });
  };
}
