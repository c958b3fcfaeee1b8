// The sorted list of all users in portions with known counts: a page by number is found without skipping the rows
// before it. Triggers keep the counts, so that they are right whoever writes.
import { sql, type Expression, type SqlBool } from 'kysely';
import type { Schema } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { USER_ORDER } from '../platform/database/user-order.ts';

const COLUMNS = sql.raw<unknown>(USER_ORDER.join(', '));

/** Users of a portion when it is made; one with twice as many is cut. The index `user_portion_full` has the same limit. */
const SIZE = 4000;
/** Portions that one statement inserts. */
const AT_ONCE = 500;

/** Where a portion starts. */
export type Start = Pick<Schema['user_portion'], (typeof USER_ORDER)[number]>;

/** The number of all users. */
export async function countAll(db: Executor): Promise<number> {
  const { total } = await db
    .selectFrom('user_portion')
    .select(sql<number>`cast(sum(n) as bigint)`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The counts of all portions in order: hundreds, so that adding them here is quicker than a window in SQL. */
export async function readCounts(db: Executor): Promise<{ id: number; n: number }[]> {
  let query = db.selectFrom('user_portion').select(['id', 'n']);
  for (const column of USER_ORDER) query = query.orderBy(column);
  return query.execute();
}

/** Portions next to each other. */
export interface Range {
  /** How many users are before it, and in it. */
  readonly before: number;
  readonly n: number;
  /** Restricts users to it. */
  readonly isWithin: Expression<SqlBool>;
}

/** The portions with the users from one place of the list up to another; places are from 0. */
export async function rangeOf(
  db: Executor,
  counts: readonly { id: number; n: number }[],
  from: number,
  to: number,
): Promise<Range> {
  let [at, before] = [0, 0];
  while (before + counts[at]!.n <= from) before += counts[at++]!.n;
  let [after, n] = [at, 0];
  while (after < counts.length && before + n < to) n += counts[after++]!.n;
  const ids = [at, after].flatMap((index) => counts[index]?.id ?? []);
  const query = db
    .selectFrom('user_portion')
    .select(['id', ...USER_ORDER])
    .where('id', 'in', ids);
  const rows = await query.execute();
  const start = rows.find(({ id }) => id === ids[0])!;
  const end = rows.find(({ id }) => id === ids[1]);
  const isWithin = end === undefined ? isFrom(start) : sql<boolean>`${isFrom(start)} and ${isBefore(end)}`;
  return { before, n, isWithin };
}

const keyOf = (start: Start) => sql.join(USER_ORDER.map((column) => start[column]));
/** Users from there on. */
export const isFrom = (start: Start) => sql<boolean>`(${COLUMNS}) >= (${keyOf(start)})`;
const isBefore = (end: Start) => sql<boolean>`(${COLUMNS}) < (${keyOf(end)})`;

/** Cuts portions that have become too large. In a turn that waits for all other writers: nobody adds a user meanwhile. */
export async function cutPortions(tx: Executor, size = SIZE): Promise<void> {
  for (;;) {
    const full = await tx
      .selectFrom('user_portion')
      .select(['id', 'n', ...USER_ORDER])
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
