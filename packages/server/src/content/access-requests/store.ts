// Rows of requests for access to content.
import type { Selectable } from 'kysely';
import type { AccessRequestTable, Micros } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

type AccessRequestRow = Selectable<AccessRequestTable>;
export type NamedAccessRequest = AccessRequestRow & { readonly username: string };

/** Those since a time, the oldest first. */
export function listAccessRequests(
  db: Executor,
  contentGuid: string,
  since: Micros,
): Promise<NamedAccessRequest[]> {
  return db
    .selectFrom('access_request')
    .innerJoin('user_account', 'user_account.guid', 'access_request.user_guid')
    .selectAll('access_request')
    .select('user_account.username')
    .where('content_guid', '=', contentGuid)
    .where('access_request.created_time', '>', since)
    .orderBy('access_request.id')
    .execute();
}

/** What one person has asked for. */
export function accessRequestsBy(db: Executor, userGuid: string): Promise<AccessRequestRow[]> {
  return db.selectFrom('access_request').selectAll().where('user_guid', '=', userGuid).execute();
}

export function insertAccessRequest(
  db: Executor,
  row: Omit<AccessRequestRow, 'id'>,
): Promise<AccessRequestRow> {
  return db.insertInto('access_request').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function removeAccessRequest(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('access_request').where('id', '=', id).execute();
}

/** Those up to a time. */
export async function removeOldAccessRequests(db: Executor, until: Micros): Promise<void> {
  await db.deleteFrom('access_request').where('created_time', '<=', until).execute();
}
