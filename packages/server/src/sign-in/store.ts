// Database access for API keys and browser sessions, by the hash of their secret only.
import type { Selectable } from 'kysely';
import type { ApiKeyTable, Micros, SessionTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { denyAllowedBy } from './device/store.ts';

export type ApiKeyRow = Selectable<ApiKeyTable>;

/** Columns of the credential's owner, read with it. */
const OWNER = [
  'user_account.username',
  'user_account.unique_id',
  'user_account.first_name',
  'user_account.last_name',
  'user_account.user_role',
  'user_account.locked',
  'user_account.active_time as user_active_time',
] as const;

export function findApiKey(db: Executor, keyHash: string) {
  return usableKey(db, keyHash).where('public_key', 'is', null).executeTakeFirst();
}

/** The key of a claimed token. */
export function findSigningKey(db: Executor, tokenHash: string) {
  return usableKey(db, tokenHash).where('public_key', 'is not', null).executeTakeFirst();
}

function usableKey(db: Executor, keyHash: string) {
  return db
    .selectFrom('api_key')
    .innerJoin('user_account', 'user_account.guid', 'api_key.user_guid')
    .selectAll('api_key')
    .select(OWNER)
    .where('key_hash', '=', keyHash)
    .where('revoked_time', 'is', null);
}

export function insertApiKey(
  db: Executor,
  row: Pick<ApiKeyRow, 'user_guid' | 'name' | 'key_hash' | 'created_time'> &
    Partial<Omit<ApiKeyRow, 'id' | 'user_guid' | 'name' | 'key_hash' | 'created_time'>>,
): Promise<ApiKeyRow> {
  return db.insertInto('api_key').values(row).returningAll().executeTakeFirstOrThrow();
}

/** The keys of a content item and owner, newest first; all but the newest are revoked. */
export function listKeysOfContent(db: Executor, contentGuid: string, userGuid: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('user_guid', '=', userGuid)
    .where('publisher_id', 'is', null)
    .orderBy('id', 'desc')
    .execute();
}

/** Does nothing if it exists. */
export async function insertContentKey(
  db: Executor,
  row: Pick<ApiKeyRow, 'user_guid' | 'name' | 'key_hash' | 'content_guid' | 'created_time'>,
): Promise<void> {
  await db
    .insertInto('api_key')
    .values(row)
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .execute();
}

/** Revoked ones stay: their number determines the next key, should the content return to that owner. */
export async function removeContentKeysOf(
  db: Executor,
  contentGuid: string,
  userGuid: string,
): Promise<void> {
  await db
    .deleteFrom('api_key')
    .where('content_guid', '=', contentGuid)
    .where('user_guid', '=', userGuid)
    .where('revoked_time', 'is', null)
    .execute();
}

export async function replaceKeyHash(db: Executor, id: number, keyHash: string): Promise<void> {
  await db.updateTable('api_key').set({ key_hash: keyHash }).where('id', '=', id).execute();
}

/** Keys created by people, without those that content got for their visits. */
export function listApiKeys(db: Executor, userGuid: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('user_guid', '=', userGuid)
    .where('content_guid', 'is', null)
    .where('visited_guid', 'is', null)
    .orderBy('id')
    .execute();
}

export type ContentKeyRow = Pick<ApiKeyRow, 'id' | 'created_time' | 'last_used_time'> & {
  readonly content_guid: string;
  readonly content_name: string;
};

/** Valid keys of a user's content. */
export async function listContentKeys(db: Executor, userGuid: string): Promise<ContentKeyRow[]> {
  return db
    .selectFrom('api_key')
    .innerJoin('content', 'content.guid', 'api_key.content_guid')
    .select(['api_key.id', 'api_key.created_time', 'api_key.last_used_time'])
    .select(['content.guid as content_guid', 'content.name as content_name'])
    .where('api_key.user_guid', '=', userGuid)
    .where('api_key.revoked_time', 'is', null)
    .where('api_key.publisher_id', 'is', null)
    .orderBy('api_key.id')
    .execute();
}

/** Removes a key of a user; a content key stays as revoked. Returns the previous row. */
export async function removeApiKey(
  db: Executor,
  userGuid: string,
  id: number,
  now: Micros,
): Promise<ApiKeyRow | undefined> {
  const revoked = await db
    .updateTable('api_key')
    .set({ revoked_time: now })
    .where('user_guid', '=', userGuid)
    .where('id', '=', id)
    .where('content_guid', 'is not', null)
    .where('revoked_time', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (revoked) return revoked;
  return db
    .deleteFrom('api_key')
    .where('user_guid', '=', userGuid)
    .where('id', '=', id)
    .where('content_guid', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export async function touchApiKey(db: Executor, id: number, time: Micros): Promise<void> {
  await db.updateTable('api_key').set({ last_used_time: time }).where('id', '=', id).execute();
}

/** Networks that a key was used from. */
export async function networksOfKey(db: Executor, id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('api_key_network')
    .select('network')
    .where('api_key_id', '=', id)
    .execute();
  return rows.map((row) => row.network);
}

/** Adds a network; beyond the limit, the oldest is removed. */
export async function addNetworkOfKey(
  db: Executor,
  row: { readonly api_key_id: number; readonly network: string; readonly first_time: Micros },
  most: number,
): Promise<void> {
  // The key may have been revoked meanwhile.
  const key = await db.selectFrom('api_key').select('id').where('id', '=', row.api_key_id).executeTakeFirst();
  if (!key) return;
  const kept = await db
    .selectFrom('api_key_network')
    .selectAll()
    .where('api_key_id', '=', row.api_key_id)
    .orderBy('first_time')
    .execute();
  for (const { network } of kept.slice(0, Math.max(0, kept.length - most + 1))) {
    await db
      .deleteFrom('api_key_network')
      .where('api_key_id', '=', row.api_key_id)
      .where('network', '=', network)
      .execute();
  }
  await db
    .insertInto('api_key_network')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function insertSession(db: Executor, row: SessionTable): Promise<void> {
  await db.insertInto('session').values(row).execute();
}

export function findSession(db: Executor, tokenHash: string) {
  return db
    .selectFrom('session')
    .innerJoin('user_account', 'user_account.guid', 'session.user_guid')
    .selectAll('session')
    .select(OWNER)
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

export async function touchSession(db: Executor, tokenHash: string, time: Micros): Promise<void> {
  await db.updateTable('session').set({ active_time: time }).where('token_hash', '=', tokenHash).execute();
}

/** Returns the removed session. */
export function removeSession(db: Executor, tokenHash: string): Promise<SessionTable | undefined> {
  return db.deleteFrom('session').where('token_hash', '=', tokenHash).returningAll().executeTakeFirst();
}

/** Unexpired sessions, newest first. */
export function listSessions(db: Executor, userGuid: string, now: Micros): Promise<SessionTable[]> {
  return db
    .selectFrom('session')
    .selectAll()
    .where('user_guid', '=', userGuid)
    .where('expires_time', '>', now)
    .orderBy('created_time', 'desc')
    .execute();
}

/**
 * Denies programs that were allowed in them and have not fetched their key: nobody would see it among the others.
 * @param except token hash of a session to keep.
 */
export async function removeSessionsOf(db: Executor, userGuid: string, except = ''): Promise<void> {
  await denyAllowedBy(db, userGuid);
  await db
    .deleteFrom('session')
    .where('user_guid', '=', userGuid)
    .where('token_hash', '!=', except)
    .execute();
}

/** Sessions that a browser has probably started since: those with the same user, address and user agent. */
export async function removeSessionsSince(
  db: Executor,
  { user_guid, address, agent }: Pick<SessionTable, 'user_guid' | 'address' | 'agent'>,
  since: Micros,
): Promise<void> {
  await db
    .deleteFrom('session')
    .where('user_guid', '=', user_guid)
    .where('address', '=', address)
    .where('agent', '=', agent)
    .where('created_time', '>=', since)
    .execute();
}

/** All but those used last. Returns whether there were any. */
export async function removeSessionsBeyond(db: Executor, userGuid: string, most: number): Promise<boolean> {
  const kept = db
    .selectFrom('session')
    .select('token_hash')
    .where('user_guid', '=', userGuid)
    .orderBy('active_time', 'desc')
    .orderBy('token_hash')
    .limit(most);
  const result = await db
    .deleteFrom('session')
    .where('user_guid', '=', userGuid)
    .where('token_hash', 'not in', kept)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function removeExpiredSessions(db: Executor, now: Micros): Promise<void> {
  await db.deleteFrom('session').where('expires_time', '<=', now).execute();
}

/** Returns false if it was used before. */
export async function spend(db: Executor, id: string, now: Micros, expires: Micros): Promise<boolean> {
  await db.deleteFrom('spent').where('expires_time', '<=', now).execute();
  const result = await db
    .insertInto('spent')
    .values({ id, expires_time: expires })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
