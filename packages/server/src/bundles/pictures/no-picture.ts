// Why there is no picture of a page, as an answer says it.
import { errors } from '@pressroom/api/contract';
import { messageOf } from '../../platform/errors.ts';

/** What takes pictures does not know what of. @param what as in `bundle 7` @throws ApiError */
export function noPicture(what: string) {
  return (error: unknown): never => {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') throw error;
    throw errors.actionNotSupported({ message: `no picture of ${what}: ${messageOf(error)}` });
  };
}
