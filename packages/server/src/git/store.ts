// Database access for repositories, and for who polls them when.
import type { Selectable, Updateable } from 'kysely';
import type { Micros, RepositoryTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type RepositoryRow = Selectable<RepositoryTable>;

export function findRepository(db: Executor, contentGuid: string): Promise<RepositoryRow | undefined> {
  return db.selectFrom('repository').selectAll().where('content_guid', '=', contentGuid).executeTakeFirst();
}

export async function insertRepository(db: Executor, row: RepositoryRow): Promise<void> {
  await db.insertInto('repository').values(row).execute();
}

export async function updateRepositoryRow(
  db: Executor,
  contentGuid: string,
  set: Updateable<RepositoryTable>,
): Promise<void> {
  await db.updateTable('repository').set(set).where('content_guid', '=', contentGuid).execute();
}

/** What a fetch found; nothing if another branch, directory or repository was connected meanwhile. */
export async function noteFetch(
  db: Executor,
  { content_guid, url, branch, directory }: RepositoryRow,
  set: Pick<
    Updateable<RepositoryTable>,
    'last_commit' | 'last_error' | 'fetch_error' | 'fetched_time' | 'offered_keys'
  >,
): Promise<void> {
  await db
    .updateTable('repository')
    .set(set)
    .where('content_guid', '=', content_guid)
    .where('url', '=', url)
    .where('branch', '=', branch)
    .where('directory', '=', directory)
    .execute();
}

/** False if there was none. */
export async function removeRepository(db: Executor, contentGuid: string): Promise<boolean> {
  const result = await db.deleteFrom('repository').where('content_guid', '=', contentGuid).executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** @param latest time to plan a check for: later ones were planned by a clock that was ahead, or a longer interval */
export function dueRepositories(db: Executor, now: Micros, latest: Micros): Promise<RepositoryRow[]> {
  return db
    .selectFrom('repository')
    .selectAll()
    .where((eb) => eb.or([eb('look_time', '<=', now), eb('look_time', '>', latest)]))
    .orderBy('look_time')
    .execute();
}

/**
 * Sets the time of the next check if it is unchanged: only one of several servers succeeds, and a push meanwhile is
 * kept.
 */
export async function rescheduleCheck(
  db: Executor,
  contentGuid: string,
  from: Micros | null,
  to: Micros | null,
): Promise<boolean> {
  const result = await db
    .updateTable('repository')
    .set({ look_time: to })
    .where('content_guid', '=', contentGuid)
    .where('look_time', from === null ? 'is' : '=', from)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

export function listRepositories(db: Executor): Promise<RepositoryRow[]> {
  return db.selectFrom('repository').selectAll().execute();
}

/** False if it has changed. */
export async function replaceRepositorySealed(
  db: Executor,
  contentGuid: string,
  what: 'token' | 'secret' | 'ssh_key',
  { sealed, by }: { readonly sealed: string; readonly by: string },
): Promise<boolean> {
  const result = await db
    .updateTable('repository')
    .set({ [what]: by })
    .where('content_guid', '=', contentGuid)
    .where(what, '=', sealed)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}
