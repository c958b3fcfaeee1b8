// Users that match a prefix, with a warning if the server lists only some of them.
import type { Client } from '@pressroom/api/client';
import type { User } from '@pressroom/api/contract';
import type { CommandContext } from '../command.ts';
import { warn } from '../terminal/output.ts';

type Query = NonNullable<Parameters<Client['getUsers']>[0]>;

/** A search by prefix has one page, of at most so many users (contract, 4.8). */
const LARGEST_PAGE = 500;

export async function matchingUsers(context: CommandContext, client: Client, query: Query): Promise<User[]> {
  const { signal } = context;
  if (!query.prefix) return Array.fromAsync(client.each.getUsers(query, { signal }));
  const { results, total } = await client.getUsers({ ...query, page_size: LARGEST_PAGE }, { signal });
  if (total > results.length)
    warn(context, `${total} users match, of whom the server lists ${results.length}: use a longer PREFIX.`);
  return results;
}
