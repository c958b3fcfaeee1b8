// Database access for user accounts: by id, by name, lists, search and counts.
import {
  sql,
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  type SelectQueryBuilder,
  type Updateable,
} from 'kysely';
import { fromNearerEnd } from '../platform/database/nearer-end.ts';
import type { Micros, Schema, UserTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { USER_ORDER } from '../platform/database/user-order.ts';
import { countAll, cutPortions, rangeOf, readCounts } from './portions-store.ts';

export type UserRow = Selectable<UserTable>;
type Keys = 'username_key' | 'first_name_key' | 'last_name_key';
export type NewUserRow = Omit<Insertable<UserTable>, Keys>;

/** Sorts after every string that starts with the same characters. */
const LAST_CHARACTER = '\u{10FFFF}';

export type AccountStatus = 'locked' | 'licensed' | 'inactive';

export interface UserFilter {
  /** All must match; each is a list of alternatives. */
  readonly roles: readonly (readonly string[])[];
  readonly statuses: readonly (readonly AccountStatus[])[];
  readonly prefix?: string;
  /** Only this user. */
  readonly only?: string;
  /** Users active since then are licensed, others inactive. */
  readonly activeSince: Micros;
}

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  readonly ascending: boolean;
}

export function findUser(db: Executor, guid: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('guid', '=', guid).executeTakeFirst();
}

/** For GUIDs from rows or callers. @throws if there is none */
export function userOf(db: Executor, guid: string): Promise<UserRow> {
  return db.selectFrom('user_account').selectAll().where('guid', '=', guid).executeTakeFirstOrThrow();
}

export function findUserByName(db: Executor, username: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('user_account')
    .selectAll()
    .where('username_key', '=', username.toLowerCase())
    .executeTakeFirst();
}

export function findUserByUniqueId(db: Executor, uniqueId: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('unique_id', '=', uniqueId).executeTakeFirst();
}

/** The existing accounts of these people of the directory. */
export async function findUsersByUniqueId(db: Executor, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('user_account').selectAll().where('unique_id', 'in', ids).execute();
}

export async function findUsers(db: Executor, guids: readonly string[]): Promise<UserRow[]> {
  if (guids.length === 0) return [];
  return db.selectFrom('user_account').selectAll().where('guid', 'in', guids).execute();
}

/** In any case; several accounts may have the same address. */
export async function findUsersByEmail(db: Executor, email: string): Promise<UserRow[]> {
  return db
    .selectFrom('user_account')
    .selectAll()
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .execute();
}

/** In a turn that waits for all other writers. */
export async function insertUser(db: Executor, row: NewUserRow): Promise<void> {
  await db
    .insertInto('user_account')
    .values({ ...row, ...keysOf(row), username_key: row.username.toLowerCase() })
    .execute();
  await cutPortions(db);
}

export async function updateUserRow(
  db: Executor,
  guid: string,
  changes: Updateable<UserTable>,
): Promise<void> {
  await db
    .updateTable('user_account')
    .set({ ...changes, ...keysOf(changes) })
    .where('guid', '=', guid)
    .execute();
}

/** Returns the number of newly confirmed users. */
export async function confirmEveryUser(db: Executor): Promise<number> {
  const result = await db
    .updateTable('user_account')
    .set({ confirmed: 1 })
    .where('confirmed', '=', 0)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

export async function touchUser(db: Executor, guid: string, time: Micros): Promise<void> {
  await db.updateTable('user_account').set({ active_time: time }).where('guid', '=', guid).execute();
}

export async function countUsers(
  db: Executor,
  which: 'all' | 'unlocked' | 'administrators',
): Promise<number> {
  if (which === 'all') return countAll(db);
  let query = db
    .selectFrom('user_account')
    .select(sql<number>`count(*)`.as('n'))
    .where('locked', '=', 0);
  if (which === 'administrators') query = query.where('user_role', '=', 'administrator');
  return (await query.executeTakeFirstOrThrow()).n;
}

type Selected = SelectQueryBuilder<Schema, 'user_account', {}>;

/** A page of users by first name, last name, username and e-mail; with a prefix by closeness. */
export async function listUsers(
  db: Executor,
  filter: UserFilter,
  page: PageRequest,
): Promise<{ rows: UserRow[]; total: number }> {
  if (isUnfiltered(filter)) return listAll(db, page);
  const matching = db.selectFrom('user_account').where((eb) => conditions(eb, filter));
  const { n } = await matching.select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  return { rows: await readUserPage(db, matching, n, page, filter.prefix), total: n };
}

/** A page of all users, read from the nearer end of the portions that it is in. */
async function listAll(db: Executor, { offset, limit, ascending }: PageRequest) {
  const counts = await readCounts(db);
  const total = counts.reduce((sum, { n }) => sum + n, 0);
  const shown = Math.max(0, Math.min(limit, total - offset));
  const first = ascending ? offset : total - offset - shown;
  if (shown === 0) return { rows: [], total };
  const { before, n, isWithin } = await rangeOf(db, counts, first, first + shown);
  const matching = db.selectFrom('user_account').where(isWithin);
  const rows = await readUserPage(db, matching, n, { offset: first - before, limit: shown, ascending: true });
  return { rows: ascending ? rows : rows.reverse(), total };
}

/** The same order for any selection of users. @param total their number */
async function readUserPage(
  db: Executor,
  matching: Selected,
  total: number,
  page: PageRequest,
  prefix?: string,
): Promise<UserRow[]> {
  return fromNearerEnd(page, total, ({ offset, limit }, direction) => {
    const sorted = <Row>(query: SelectQueryBuilder<Schema, 'user_account', Row>) => {
      let by = query;
      if (prefix) by = by.orderBy(nearness(prefix.toLowerCase()), direction(true));
      for (const column of USER_ORDER)
        by = by.orderBy(column, direction(page.ascending || prefix !== undefined));
      return by;
    };
    // An index has all that the inner query needs: skipped rows are not read.
    const guids = sorted(matching.select('guid')).limit(limit).offset(offset);
    return sorted(db.selectFrom('user_account').selectAll().where('guid', 'in', guids)).execute();
  });
}

function isUnfiltered({ roles, statuses, only, prefix }: UserFilter): boolean {
  return roles.length === 0 && statuses.length === 0 && !only && !prefix;
}

function keysOf({ username, first_name, last_name }: Updateable<UserTable>) {
  return {
    ...(username !== undefined && { username_key: username.toLowerCase() }),
    ...(first_name !== undefined && { first_name_key: first_name.toLowerCase() }),
    ...(last_name !== undefined && { last_name_key: last_name.toLowerCase() }),
  } as Record<'first_name_key' | 'last_name_key', string>;
}

function conditions(eb: ExpressionBuilder<Schema, 'user_account'>, filter: UserFilter) {
  const all = filter.roles.map((roles) =>
    eb.or(roles.map((role) => eb('user_role', '=', role as UserRow['user_role']))),
  );
  for (const statuses of filter.statuses) {
    all.push(eb.or(statuses.map((status) => hasStatus(eb, status, filter.activeSince))));
  }
  if (filter.only) all.push(eb('guid', '=', filter.only));
  if (filter.prefix) {
    const from = filter.prefix.toLowerCase();
    all.push(
      eb.or(
        (['username_key', 'first_name_key', 'last_name_key'] as const).map((column) =>
          eb.and([eb(column, '>=', from), eb(column, '<', from + LAST_CHARACTER)]),
        ),
      ),
    );
  }
  return eb.and(all);
}

function hasStatus(eb: ExpressionBuilder<Schema, 'user_account'>, status: AccountStatus, since: Micros) {
  if (status === 'locked') return eb('locked', '=', 1);
  const recent = eb('active_time', '>=', since);
  if (status === 'licensed') return eb.and([eb('locked', '=', 0), recent]);
  return eb.and([
    eb('locked', '=', 0),
    eb.or([eb('active_time', 'is', null), eb('active_time', '<', since)]),
  ]);
}

/** Length of the shortest matching field: an exact match is as long as the prefix and comes first. */
function nearness(prefix: string) {
  const end = prefix + LAST_CHARACTER;
  const length = (column: Keys) => {
    const ref = sql.ref(column);
    return sql`case when ${ref} >= ${prefix} and ${ref} < ${end} then length(${ref}) else 100000 end`;
  };
  const [a, b, c] = [length('username_key'), length('first_name_key'), length('last_name_key')];
  const least = (x: typeof a, y: typeof a) => sql`case when ${x} <= ${y} then ${x} else ${y} end`;
  return least(a, least(b, c));
}
