// Database access for requests for access.
import { sql, type Selectable } from 'kysely';
import type { AccessRequestTable, Micros } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { permissionIsOpen } from '../store.ts';

type AccessRequestRow = Selectable<AccessRequestTable>;
export type NamedAccessRequest = Omit<AccessRequestRow, 'declined'> & { readonly username: string };
export type ListedAccessRequest = NamedAccessRequest & {
  readonly content_name: string;
  readonly content_title: string | null;
};

const COLUMNS = [
  'access_request.id',
  'access_request.content_guid',
  'access_request.user_guid',
  'access_request.message',
  'access_request.created_time',
  'user_account.username',
] as const;

/** Open requests since a time, oldest first. */
export function listAccessRequests(
  db: Executor,
  contentGuid: string,
  since: Micros,
): Promise<NamedAccessRequest[]> {
  return open(db, since).where('content_guid', '=', contentGuid).execute();
}

function open(db: Executor, since: Micros) {
  return db
    .selectFrom('access_request')
    .innerJoin('user_account', 'user_account.guid', 'access_request.user_guid')
    .select(COLUMNS)
    .where('access_request.declined', '=', 0)
    .where('access_request.created_time', '>', since)
    .orderBy('access_request.id');
}

/** Requests for content that a user owns or collaborates on; for all content if `sharer` is null. */
export function listAllAccessRequests(
  db: Executor,
  sharer: string | null,
  since: Micros,
  limit: number,
): Promise<ListedAccessRequest[]> {
  let query = open(db, since)
    .innerJoin('content', 'content.guid', 'access_request.content_guid')
    .select(['content.name as content_name', 'content.title as content_title']);
  if (sharer !== null)
    query = query.where((eb) =>
      eb.or([
        eb('content.owner_guid', '=', sharer),
        sql<boolean>`content.guid in (
          select p.content_guid from permission p
            where p.role = 'owner' and p.principal_guid = ${sharer} and ${permissionIsOpen('p')}
          union select p.content_guid from permission p join group_member m on m.group_guid = p.principal_guid
            where p.role = 'owner' and m.user_guid = ${sharer} and ${permissionIsOpen('p')})`,
      ]),
    );
  return query.limit(limit).execute();
}

/** Requests of one person, declined ones included. */
export function accessRequestsBy(db: Executor, userGuid: string): Promise<AccessRequestRow[]> {
  return db.selectFrom('access_request').selectAll().where('user_guid', '=', userGuid).execute();
}

export function insertAccessRequest(
  db: Executor,
  row: Omit<AccessRequestRow, 'id' | 'declined'>,
): Promise<AccessRequestRow> {
  return db.insertInto('access_request').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function removeAccessRequest(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('access_request').where('id', '=', id).execute();
}

/** Keeps the row, so that the request cannot be repeated at once. */
export async function declineAccessRequest(db: Executor, id: number): Promise<void> {
  await db.updateTable('access_request').set({ declined: 1 }).where('id', '=', id).execute();
}

/** Open requests up to a time, oldest first. */
export function unansweredAccessRequests(
  db: Executor,
  until: Micros,
  limit: number,
): Promise<AccessRequestRow[]> {
  return db
    .selectFrom('access_request')
    .selectAll()
    .where('declined', '=', 0)
    .where('created_time', '<=', until)
    .orderBy('created_time')
    .limit(limit)
    .execute();
}

/** Removes an open request and returns it; undefined if it is gone or was declined. */
export function closeAccessRequest(db: Executor, id: number): Promise<AccessRequestRow | undefined> {
  return db
    .deleteFrom('access_request')
    .where('id', '=', id)
    .where('declined', '=', 0)
    .returningAll()
    .executeTakeFirst();
}

/** Removes declined requests up to a time. */
export async function removeOldAccessRequests(db: Executor, until: Micros): Promise<void> {
  await db
    .deleteFrom('access_request')
    .where('declined', '=', 1)
    .where('created_time', '<=', until)
    .execute();
}
