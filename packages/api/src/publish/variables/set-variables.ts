// Sets and deletes environment variables of content.
import type { Client } from '../../client/client.ts';
import { RefusedError } from '../../client/failures.ts';
import type { CallOptions } from '../../client/methods.ts';

export interface VariableChange {
  readonly name: string;
  /** Null deletes it. */
  readonly value: string | null;
}

/** Returns the names of all variables. A refusal names the variable, where the server names its place in the list. */
export async function setVariables(
  client: Pick<Client, 'updateEnvironment'>,
  guid: string,
  changes: readonly VariableChange[],
  options?: CallOptions,
): Promise<string[]> {
  try {
    return await client.updateEnvironment({ guid, body: [...changes] }, options);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const [place, index, field] = /^body\[(\d+)\]\.(name|value)/.exec(error.message) ?? [];
    const name = changes[Number(index)]?.name;
    if (place === undefined || name === undefined) throw error;
    const { operation, server, status, code, payload, hint } = error;
    const message = `The ${field} of ${name}${error.message.slice(place.length)}`;
    throw new RefusedError({ operation, server, status, code, payload, message, hint });
  }
}
