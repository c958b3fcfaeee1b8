// Database access for requests to become a publisher.
import type { Selectable } from 'kysely';
import type { Micros, RoleRequestTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type NamedRoleRequest = Selectable<RoleRequestTable> & { readonly username: string };

const from = (db: Executor) =>
  db
    .selectFrom('role_request')
    .innerJoin('user_account', 'user_account.guid', 'role_request.user_guid')
    .selectAll('role_request')
    .select('user_account.username');

/** Includes closed ones. */
export function findRoleRequest(db: Executor, userGuid: string): Promise<NamedRoleRequest | undefined> {
  return from(db).where('user_guid', '=', userGuid).executeTakeFirst();
}

/** Open requests since a time, of people who are still viewers, oldest first. */
export function listRoleRequests(db: Executor, since: Micros, limit: number): Promise<NamedRoleRequest[]> {
  return from(db)
    .where('declined', '=', 0)
    .where('user_account.user_role', '=', 'viewer')
    .where('role_request.created_time', '>', since)
    .orderBy('role_request.created_time')
    .limit(limit)
    .execute();
}

/** Replaces an earlier one. */
export async function saveRoleRequest(db: Executor, row: Selectable<RoleRequestTable>): Promise<void> {
  await db
    .insertInto('role_request')
    .values(row)
    .onConflict((conflict) => conflict.column('user_guid').doUpdateSet(row))
    .execute();
}

/** Open requests up to a time. */
export function unansweredRoleRequests(
  db: Executor,
  until: Micros,
  limit: number,
): Promise<NamedRoleRequest[]> {
  return from(db)
    .where('declined', '=', 0)
    .where('role_request.created_time', '<=', until)
    .orderBy('role_request.created_time')
    .limit(limit)
    .execute();
}

export async function removeRoleRequest(db: Executor, userGuid: string): Promise<void> {
  await db.deleteFrom('role_request').where('user_guid', '=', userGuid).execute();
}

/** Removes an open request up to a time and returns it; undefined if it is gone or was declined. */
export function closeRoleRequest(
  db: Executor,
  userGuid: string,
  until: Micros,
): Promise<Selectable<RoleRequestTable> | undefined> {
  return db
    .deleteFrom('role_request')
    .where('user_guid', '=', userGuid)
    .where('declined', '=', 0)
    .where('created_time', '<=', until)
    .returningAll()
    .executeTakeFirst();
}
