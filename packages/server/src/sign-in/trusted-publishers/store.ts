// Database access for trusted publishers, exchanged tokens, and the keys issued for them.
import type { Selectable } from 'kysely';
import type { Micros, TrustedPublisherTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type TrustedPublisherRow = Selectable<TrustedPublisherTable>;

export function listTrustedPublishers(db: Executor, contentGuid: string) {
  return db
    .selectFrom('trusted_publisher')
    .innerJoin('user_account', 'user_account.guid', 'trusted_publisher.user_guid')
    .selectAll('trusted_publisher')
    .select('user_account.username')
    .where('content_guid', '=', contentGuid)
    .orderBy('trusted_publisher.id')
    .execute();
}
export type NamedTrustedPublisher = Awaited<ReturnType<typeof listTrustedPublishers>>[number];

/** Content that trusts some pipeline of a repository. */
export async function contentTrusting(
  db: Executor,
  { issuer, repository }: Pick<TrustedPublisherRow, 'issuer' | 'repository'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('trusted_publisher')
    .select('content_guid')
    .distinct()
    .where('issuer', '=', issuer)
    .where('repository', '=', repository)
    .execute();
  return rows.map(({ content_guid }) => content_guid);
}

export function insertTrustedPublisher(
  db: Executor,
  row: Omit<TrustedPublisherRow, 'id' | 'repository_id' | 'last_used_time'>,
): Promise<TrustedPublisherRow> {
  return db.insertInto('trusted_publisher').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Removes its pipelines' keys, too. */
export function deleteTrustedPublisher(
  db: Executor,
  contentGuid: string,
  id: number,
): Promise<TrustedPublisherRow | undefined> {
  return db
    .deleteFrom('trusted_publisher')
    .where('content_guid', '=', contentGuid)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function noteUse(
  db: Executor,
  id: number,
  use: Pick<TrustedPublisherRow, 'repository_id' | 'last_used_time'>,
): Promise<void> {
  await db.updateTable('trusted_publisher').set(use).where('id', '=', id).execute();
}

/** False if it was used before. Removes expired ones. */
export async function useToken(
  db: Executor,
  row: { readonly token_hash: string; readonly expires_time: Micros },
  now: Micros,
): Promise<boolean> {
  await db.deleteFrom('used_ci_token').where('expires_time', '<', now).execute();
  const result = await db
    .insertInto('used_ci_token')
    .values(row)
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function removeExpiredPipelineKeys(db: Executor, now: Micros): Promise<void> {
  await db
    .deleteFrom('api_key')
    .where('publisher_id', 'is not', null)
    .where('expires_time', '<=', now)
    .execute();
}
