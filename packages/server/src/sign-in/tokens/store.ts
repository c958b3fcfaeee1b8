// Database access for unclaimed tokens. A claimed one is an API key with a public key.
import type { Micros, SignInTokenTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type SignInTokenRow = SignInTokenTable;

export async function insertToken(db: Executor, row: SignInTokenRow): Promise<void> {
  await db.insertInto('sign_in_token').values(row).execute();
}

export async function removeTokensBefore(db: Executor, created: Micros): Promise<void> {
  await db.deleteFrom('sign_in_token').where('created_time', '<', created).execute();
}

/** The number of those since: in total, from a network, and from a site. @param site a pattern of its networks */
export async function countTokens(
  db: Executor,
  { network, site }: { readonly network: string; readonly site: string },
  since: Micros,
): Promise<{ all: number; near: number; around: number }> {
  const { all, near, around } = await db
    .selectFrom('sign_in_token')
    .select((e) => [
      e.fn.countAll<number>().as('all'),
      e.fn.countAll<number>().filterWhere('network', '=', network).as('near'),
      e.fn.countAll<number>().filterWhere('network', 'like', site).as('around'),
    ])
    .where('created_time', '>=', since)
    .executeTakeFirstOrThrow();
  return { all: Number(all), near: Number(near), around: Number(around) };
}

export function findToken(db: Executor, tokenHash: string): Promise<SignInTokenRow | undefined> {
  return db.selectFrom('sign_in_token').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Whether the name or the key of a token is in use: claimed, or waiting since. */
export async function isTokenTaken(
  db: Executor,
  tokenHash: string,
  publicKey: string,
  since: Micros,
): Promise<boolean> {
  const waiting = await db
    .selectFrom('sign_in_token')
    .select('token_hash')
    .where('created_time', '>=', since)
    .where((e) => e.or([e('token_hash', '=', tokenHash), e('public_key', '=', publicKey)]))
    .executeTakeFirst();
  const claimed = await db
    .selectFrom('api_key')
    .select('id')
    .where((e) => e.or([e('key_hash', '=', tokenHash), e('public_key', '=', publicKey)]))
    .executeTakeFirst();
  return waiting !== undefined || claimed !== undefined;
}

export async function denyToken(db: Executor, tokenHash: string): Promise<void> {
  await db.updateTable('sign_in_token').set({ denied: 1 }).where('token_hash', '=', tokenHash).execute();
}

/** Returns false if it was gone already. */
export async function removeToken(db: Executor, tokenHash: string): Promise<boolean> {
  const gone = await db.deleteFrom('sign_in_token').where('token_hash', '=', tokenHash).executeTakeFirst();
  return gone.numDeletedRows === 1n;
}
