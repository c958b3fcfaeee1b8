// Database access for groups and their members.
import { sql, type Selectable, type SelectQueryBuilder } from 'kysely';
import { permissionIsOpen } from '../content/store.ts';
import type { PageRequest, UserRow } from '../people/store.ts';
import { fromNearerEnd } from '../platform/database/nearer-end.ts';
import type { GroupTable, Schema } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { USER_NAMES, USER_ORDER } from '../platform/database/user-order.ts';

export type GroupRow = Selectable<GroupTable>;

const LAST_CHARACTER = '\u{10FFFF}';

export function findGroup(db: Executor, guid: string): Promise<GroupRow | undefined> {
  return db.selectFrom('user_group').selectAll().where('guid', '=', guid).executeTakeFirst();
}

export function findGroupByName(db: Executor, name: string): Promise<GroupRow | undefined> {
  return db
    .selectFrom('user_group')
    .selectAll()
    .where('name_key', '=', name.toLowerCase())
    .executeTakeFirst();
}

export async function findGroupsByUniqueId(db: Executor, ids: readonly string[]): Promise<GroupRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('user_group').selectAll().where('unique_id', 'in', ids).execute();
}

/** The provider's groups that a user is a member of. */
export function providerGroupsOf(db: Executor, userGuid: string): Promise<GroupRow[]> {
  return db
    .selectFrom('group_member')
    .innerJoin('user_group', 'user_group.guid', 'group_member.group_guid')
    .selectAll('user_group')
    .where('user_guid', '=', userGuid)
    .where('unique_id', 'is not', null)
    .execute();
}

export async function insertGroup(db: Executor, row: Omit<GroupRow, 'name_key'>): Promise<void> {
  await db
    .insertInto('user_group')
    .values({ ...row, name_key: row.name.toLowerCase() })
    .execute();
}

export async function removeGroup(db: Executor, guid: string): Promise<void> {
  await db.deleteFrom('permission').where('principal_guid', '=', guid).execute();
  await db.deleteFrom('user_group').where('guid', '=', guid).execute();
}

/** A page of groups by name; with a prefix by closeness, the exact name first. */
export async function listGroups(
  db: Executor,
  prefix: string | undefined,
  page: PageRequest,
): Promise<{ rows: GroupRow[]; total: number }> {
  let matching = db.selectFrom('user_group');
  if (prefix) {
    const from = prefix.toLowerCase();
    matching = matching.where('name_key', '>=', from).where('name_key', '<', from + LAST_CHARACTER);
  }
  const { n } = await matching.select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  const rows = await fromNearerEnd(page, n, ({ offset, limit }, direction) => {
    const sorted = <Row>(query: SelectQueryBuilder<Schema, 'user_group', Row>) =>
      (prefix ? query.orderBy(sql`length(name_key)`, direction(true)) : query).orderBy(
        'name_key',
        direction(page.ascending || Boolean(prefix)),
      );
    // The index of names is enough for the inner query: skipped rows are not read.
    const names = sorted(matching.select('name_key')).limit(limit).offset(offset);
    return sorted(db.selectFrom('user_group').selectAll().where('name_key', 'in', names)).execute();
  });
  return { rows, total: n };
}

/** Members as users are listed. @param only the one member the caller may see. @param page null for all */
export async function listMembers(
  db: Executor,
  groupGuid: string,
  only: string | undefined,
  page: Omit<PageRequest, 'ascending'> | null,
): Promise<{ rows: UserRow[]; total: number }> {
  let members = db.selectFrom('group_member').where('group_guid', '=', groupGuid);
  if (only !== undefined) members = members.where('user_guid', '=', only);
  const { n } = await members.select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  const rows = await fromNearerEnd(page ?? { offset: 0, limit: n }, n, ({ offset, limit }, direction) => {
    // An index has all that the inner query needs: skipped rows are not read.
    let guids = members.select('user_guid').limit(limit).offset(offset);
    for (const column of [...USER_NAMES, 'user_guid'] as const)
      guids = guids.orderBy(column, direction(true));
    let users = db.selectFrom('user_account').selectAll().where('guid', 'in', guids);
    for (const column of USER_ORDER) users = users.orderBy(column, direction(true));
    return users.execute();
  });
  return { rows, total: n };
}

/** Names of a user's groups. */
export async function groupNamesOf(db: Executor, userGuid: string): Promise<string[]> {
  const rows = await db
    .selectFrom('group_member')
    .innerJoin('user_group', 'user_group.guid', 'group_member.group_guid')
    .select('user_group.name')
    .where('user_guid', '=', userGuid)
    .orderBy('name_key')
    .execute();
  return rows.map((row) => row.name);
}

export async function insertMember(db: Executor, groupGuid: string, userGuid: string): Promise<void> {
  await db.insertInto('group_member').values({ group_guid: groupGuid, user_guid: userGuid }).execute();
}

/** False if the user was not a member. */
export async function removeMember(db: Executor, groupGuid: string, userGuid: string): Promise<boolean> {
  const result = await db
    .deleteFrom('group_member')
    .where('group_guid', '=', groupGuid)
    .where('user_guid', '=', userGuid)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export interface NamedPermission {
  readonly content_guid: string;
  readonly principal_guid: string;
  readonly principal_name: string;
  readonly principal_role: 'author' | 'publisher' | 'viewer';
  readonly principal_type: 'user' | 'group';
}

/** All owners and permissions of content items, owners first. @param guids at least one */
export async function namedPermissions(db: Executor, guids: readonly string[]): Promise<NamedPermission[]> {
  const owners = await db
    .selectFrom('content')
    .innerJoin('user_account', 'user_account.guid', 'content.owner_guid')
    .select(['content.guid as content_guid', 'owner_guid as principal_guid', 'username as principal_name'])
    .where('content.guid', 'in', guids)
    .execute();
  const rows = await db
    .selectFrom('permission')
    .leftJoin('user_account', 'user_account.guid', 'permission.principal_guid')
    .leftJoin('user_group', 'user_group.guid', 'permission.principal_guid')
    .select(['content_guid', 'principal_guid', 'principal_type', 'role', 'username', 'user_group.name'])
    .where('content_guid', 'in', guids)
    .where(permissionIsOpen('permission'))
    .orderBy('permission.id')
    .execute();
  return [
    ...owners.map((row) => ({
      ...row,
      principal_role: 'author' as const,
      principal_type: 'user' as const,
    })),
    ...rows.map(({ role, username, name, ...row }) => ({
      ...row,
      principal_name: username ?? name ?? '',
      principal_role: role === 'owner' ? ('publisher' as const) : role,
    })),
  ];
}
