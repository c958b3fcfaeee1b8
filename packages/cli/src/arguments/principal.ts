// Finds the person or group that a command names.
import { type Client, isMissingEndpoint, RefusedError } from '@pressroom/api/client';
import type { User } from '@pressroom/api/contract';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { commandHint } from './command-hint.ts';

type Context = Pick<CommandContext, 'signal' | 'about'>;

export interface Principal {
  principal_guid: string;
  principal_type: 'user' | 'group';
  /** Display name. */
  label: string;
}

/** By username, e-mail address or group name, in any case. Throws UsageError if there is none, or more than one. */
export async function findPrincipal(client: Client, name: string, context: Context): Promise<Principal> {
  const wanted = name.toLowerCase();
  const people = (await usersCalled(client, name, context.signal)).map(({ guid, username }): Principal => ({
    principal_guid: guid,
    principal_type: 'user',
    label: username,
  }));
  const groups = await client
    .getGroups({ prefix: name }, { signal: context.signal })
    .catch((error: unknown) => {
      if (isMissingEndpoint(error) || (isRefusal(error) && (people.length > 0 || error.code === DISABLED)))
        return { results: [] };
      throw error;
    });
  const named = groups.results
    .filter((group) => group.name?.toLowerCase() === wanted)
    .map((group): Principal => ({
      principal_guid: group.guid,
      principal_type: 'group',
      label: `group ${group.name}`,
    }));
  const [first, second] = [...people, ...named];
  if (first === undefined)
    throw new UsageError(
      `No user or group is called ${name}.`,
      `To search for users, run: ${commandHint(context, 'users')}`,
    );
  if (second !== undefined)
    throw new UsageError(`${name} is both ${first.label} and ${second.label}.`, 'Use an e-mail address.');
  return first;
}

/** The code of our servers if groups are turned off. The contract (4.4) does not specify the error. */
const DISABLED = 132;

/** Refers to the request, not to the caller. */
function isRefusal(error: unknown): error is RefusedError {
  return error instanceof RefusedError && [400, 403, 404].includes(error.status);
}

/** By username or e-mail address, in any case. Throws UsageError if there is none, or more than one. */
export async function findUser(client: Client, name: string, context: Context): Promise<User> {
  const [first, second] = await usersCalled(client, name, context.signal);
  if (first === undefined)
    throw new UsageError(
      `No user is called ${name}.`,
      `To search for users, run: ${commandHint(context, 'users')}`,
    );
  if (second !== undefined)
    throw new UsageError(`${name} is both ${first.username} and ${second.username}.`, 'Use the username.');
  return first;
}

async function usersCalled(client: Client, name: string, signal: AbortSignal): Promise<User[]> {
  const wanted = name.toLowerCase();
  // Servers search by name only: for an e-mail address, all users are read.
  const users = client.each.getUsers(name.includes('@') ? {} : { prefix: name }, { signal });
  return (await Array.fromAsync(users)).filter(({ username, email }) =>
    [username, email].some((field) => field?.toLowerCase() === wanted),
  );
}
