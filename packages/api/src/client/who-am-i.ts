// Whether a key is good and whose it is, on servers of both forms.
import type { User } from '../contract/index.ts';
import type { Client } from './client.ts';
import { isMissingEndpoint } from './dialects.ts';
import { RefusedError } from './failures.ts';
import type { CallOptions } from './methods.ts';

/** No content has this guid; asking for it shows whether the key is taken. */
const NONE = '00000000-0000-4000-8000-000000000000';

/** Who the key belongs to; null where the key is good and the server too old to say. Throws a call's failure. */
export async function whoAmI(client: Client, options: CallOptions = {}): Promise<User | null> {
  try {
    return await client.getCurrentUser({}, options);
  } catch (error) {
    if (!isMissingEndpoint(error)) throw error;
  }
  try {
    await client.getContent({ guid: NONE }, options);
  } catch (error) {
    if (!(error instanceof RefusedError && error.code === 4)) throw error;
  }
  return null;
}
