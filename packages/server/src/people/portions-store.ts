// The sorted list of all users in portions with known counts: a page by number is found without skipping the rows
// before it. Triggers keep the counts, so that they are right whoever writes.
import { sql } from 'kysely';
import type { Schema } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

/** The order of lists. An index has these columns. */
export const ORDER = ['first_name_key', 'last_name_key', 'username_key', 'email', 'guid'] as const;
const COLUMNS = sql.raw<unknown>(ORDER.join(', '));

/** Users of a portion when it is made; one with twice as many is cut. The index `user_portion_full` has the same limit. */
const SIZE = 4000;
/** Portions that one statement inserts. */
const AT_ONCE = 500;

/** Where a portion starts. */
export type Start = Pick<Schema['user_portion'], (typeof ORDER)[number]>;

/** The number of all users. */
export async function countAll(db: Executor): Promise<number> {
  const { total } = await db
    .selectFrom('user_portion')
    .select(sql<number>`cast(sum(n) as bigint)`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The portion with the user at this place of the list, from 0; `before` counts the users before the portion. */
export async function portionWith(
  db: Executor,
  place: number,
): Promise<{ start: Start; before: number } | undefined> {
  const { rows } = await sql<Start & { before: number }>`
    select ${COLUMNS}, cast(upto - n as bigint) as before
    from (select ${COLUMNS}, n, sum(n) over (order by ${COLUMNS}) as upto from user_portion) as counted
    where upto > ${place} order by upto limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { before, ...start } = row;
  return { start, before };
}

/** Users from there on. */
export const isFrom = (start: Start) =>
  sql<boolean>`(${COLUMNS}) >= (${sql.join(ORDER.map((column) => start[column]))})`;

/** Cuts portions that have become too large. In a turn that waits for all other writers: nobody adds a user meanwhile. */
export async function cutPortions(tx: Executor, size = SIZE): Promise<void> {
  for (;;) {
    const full = await tx
      .selectFrom('user_portion')
      .select(['id', 'n', ...ORDER])
      .where('n', '>', sql.lit(2 * size))
      .limit(1)
      .executeTakeFirst();
    if (full === undefined) return;
    const { id, n, ...start } = full;
    const starts = await startsWithin(tx, start, n, size);
    const portions = starts.map((one) => ({ ...one, n: size }));
    portions.at(-1)!.n = n - size * starts.length;
    for (let at = 0; at < portions.length; at += AT_ONCE)
      await tx
        .insertInto('user_portion')
        .values(portions.slice(at, at + AT_ONCE))
        .execute();
    await tx.updateTable('user_portion').set({ n: size }).where('id', '=', id).execute();
  }
}

/** Every so many users of a portion, the key of one; the last portion gets at least half of that. */
async function startsWithin(tx: Executor, start: Start, n: number, size: number): Promise<Start[]> {
  const { rows } = await sql<Start>`
    select ${COLUMNS} from (
      select ${COLUMNS}, row_number() over (order by ${COLUMNS}) as place
      from (select ${COLUMNS} from user_account where ${isFrom(start)} order by ${COLUMNS} limit ${n}) as within
    ) as numbered
    where place % ${sql.lit(size)} = 1 and place > 1 and place <= ${n - size / 2}
    order by place`.execute(tx);
  return rows;
}
