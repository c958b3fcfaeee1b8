// Whether a key is valid, and its owner, on servers of both forms.
import type { User } from '../contract/index.ts';
import type { Client } from './client.ts';
import { isMissingEndpoint } from './dialects.ts';
import { RefusedError } from './failures.ts';
import type { CallOptions } from './methods.ts';

/** The GUID of no content; requesting it shows whether the key is accepted. */
const NONE = '00000000-0000-4000-8000-000000000000';

/** The owner of the key; null if the key is valid and the server too old to say. Throws call failures. */
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
