// Database access for visitor API keys, and the content that may get them.
import type { Selectable } from 'kysely';
import type { ContentRow } from '../content/store.ts';
import type { ApiKeyTable, ContentTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type VisitorRole = NonNullable<ContentTable['visitor_role']>;

export async function setVisitorRole(
  db: Executor,
  guid: string,
  row: Pick<ContentRow, 'visitor_role' | 'visitor_role_time'>,
): Promise<void> {
  await db.updateTable('content').set(row).where('guid', '=', guid).execute();
}

export function contentWithVisitorRole(
  db: Executor,
  role: VisitorRole,
): Promise<Pick<ContentRow, 'guid' | 'visitor_role' | 'visitor_role_time'>[]> {
  return db
    .selectFrom('content')
    .select(['guid', 'visitor_role', 'visitor_role_time'])
    .where('visitor_role', '=', role)
    .orderBy('guid')
    .execute();
}

/** Returns false if it is there already. */
export async function insertVisitorKey(
  db: Executor,
  row: Pick<
    Selectable<ApiKeyTable>,
    'user_guid' | 'name' | 'key_hash' | 'created_time' | 'role' | 'expires_time' | 'visited_guid'
  > &
    Partial<Pick<ApiKeyTable, 'session_hash' | 'parent_id'>>,
): Promise<boolean> {
  const result = await db
    .insertInto('api_key')
    .values(row)
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export async function removeExpiredVisitorKeys(
  db: Executor,
  contentGuid: string,
  now: Micros,
): Promise<void> {
  await db
    .deleteFrom('api_key')
    .where('visited_guid', '=', contentGuid)
    .where('expires_time', '<=', now)
    .execute();
}

/** Returns the people whose keys they were. */
export async function removeVisitorKeys(db: Executor, contentGuid: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('api_key')
    .where('visited_guid', '=', contentGuid)
    .returning('user_guid')
    .execute();
  return [...new Set(rows.map(({ user_guid }) => user_guid))];
}

/** An API key by its id, unless it was revoked. */
export function findKeyById(db: Executor, id: number): Promise<Selectable<ApiKeyTable> | undefined> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('id', '=', id)
    .where('revoked_time', 'is', null)
    .executeTakeFirst();
}
