// Database access for unused content, and for what its owner was asked and decided.
import { isUseCounted, kinds } from '@pressroom/api/contract';
import { sql } from 'kysely';
import type { Micros } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { lastUse } from '../../usage/summary-store.ts';

export interface UnusedRow {
  readonly guid: string;
  readonly name: string;
  readonly title: string | null;
  readonly owner_guid: string;
  /** Null if the account was deleted. */
  readonly username: string | null;
  readonly last_deployed_time: Micros | null;
  /** Null if there is no record of use. */
  readonly last: Micros | null;
}

/** Kinds whose use is not counted. */
const UNCOUNTED = kinds.filter((kind) => !isUseCounted(kind)).map(({ appmode }) => appmode);

/**
 * Published content with counted use that was neither used, deployed nor kept since that time, and has no schedule and
 * no mailed renderings; longest unused first.
 * @param isUntold only those whose owners were not asked since that time, either
 */
export async function listUnused(
  db: Executor,
  {
    before,
    owner,
    limit,
    isUntold = false,
  }: { before: Micros; owner: string | null; limit: number; isUntold?: boolean },
): Promise<UnusedRow[]> {
  const items = db
    .selectFrom('content')
    .leftJoin('user_account', 'user_account.guid', 'content.owner_guid')
    .leftJoin('unused_notice', 'unused_notice.content_guid', 'content.guid')
    .select(['content.guid', 'content.name', 'title', 'owner_guid', 'username', 'last_deployed_time'])
    .select(lastUse.as('last'))
    .where('bundle_id', 'is not', null)
    .where((eb) => eb.or([eb('kind', 'is', null), eb('kind', 'not in', UNCOUNTED)]))
    .where('content.created_time', '<', before)
    .where(sql<Micros>`coalesce(last_deployed_time, 0)`, '<', before)
    .where(sql<Micros>`coalesce(kept_time, 0)`, '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('schedule')
            .select('schedule.content_guid')
            .whereRef('schedule.content_guid', '=', 'content.guid'),
        ),
      ),
    )
    .$if(owner !== null, (query) => query.where('owner_guid', '=', owner!))
    .$if(isUntold, (query) => query.where(sql<Micros>`coalesce(told_time, 0)`, '<', before));
  const rows = await db
    .selectFrom(items.as('item'))
    .selectAll()
    .where(sql<Micros>`coalesce(last, 0)`, '<', before)
    .orderBy(sql`coalesce(last, 0)`)
    .orderBy('guid')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, last: row.last === null ? null : Number(row.last) }));
}

/** False if another server was faster. */
export async function claimNotice(
  db: Executor,
  contentGuid: string,
  now: Micros,
  before: Micros,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: claimed } = await db
    .insertInto('unused_notice')
    .values({ content_guid: contentGuid, told_time: now, kept_time: null })
    .onConflict((conflict) =>
      conflict
        .column('content_guid')
        .doUpdateSet({ told_time: now })
        .where(sql<Micros>`coalesce(unused_notice.told_time, 0)`, '<', before),
    )
    .executeTakeFirstOrThrow();
  return Number(claimed) > 0;
}

export async function saveKept(db: Executor, contentGuid: string, now: Micros): Promise<void> {
  await db
    .insertInto('unused_notice')
    .values({ content_guid: contentGuid, told_time: null, kept_time: now })
    .onConflict((conflict) => conflict.column('content_guid').doUpdateSet({ kept_time: now }))
    .execute();
}
