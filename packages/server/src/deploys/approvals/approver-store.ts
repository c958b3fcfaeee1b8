// Database access for collaborators of a content item, limited to those that a rule names.
import { sql } from 'kysely';
import { permissionIsOpen, type ContentRow } from '../../content/store.ts';
import type { Executor } from '../../platform/database/storage.ts';

export interface CollaboratorQuery {
  /** GUIDs of people and groups; empty for everybody. */
  readonly named: readonly string[];
  /** Excluded. */
  readonly author: string | null;
  readonly limit: number;
}

/** The owner and collaborators by username, without locked accounts and viewers. */
export function listCollaborators(
  db: Executor,
  { guid, owner_guid }: Pick<ContentRow, 'guid' | 'owner_guid'>,
  { named, author, limit }: CollaboratorQuery,
) {
  const granted = sql<boolean>`user_account.guid in (
    select p.principal_guid from permission p
      where p.content_guid = ${guid} and p.role = 'owner' and ${permissionIsOpen('p')}
    union select m.user_guid from permission p join group_member m on m.group_guid = p.principal_guid
      where p.content_guid = ${guid} and p.role = 'owner' and ${permissionIsOpen('p')})`;
  let query = db
    .selectFrom('user_account')
    .select(['guid', 'username', 'user_role'])
    .where('locked', '=', 0)
    .where('user_role', '<>', 'viewer')
    .where((eb) => eb.or([eb('guid', '=', owner_guid), granted]));
  if (named.length > 0)
    query = query.where((eb) =>
      eb.or([
        eb('guid', 'in', named),
        eb('guid', 'in', eb.selectFrom('group_member').select('user_guid').where('group_guid', 'in', named)),
      ]),
    );
  if (author !== null) query = query.where('guid', '<>', author);
  return query.orderBy('username_key').limit(limit).execute();
}

export async function isMemberOfAny(
  db: Executor,
  groups: readonly string[],
  userGuid: string,
): Promise<boolean> {
  const member = await db
    .selectFrom('group_member')
    .select('group_guid')
    .where('user_guid', '=', userGuid)
    .where('group_guid', 'in', groups)
    .executeTakeFirst();
  return member !== undefined;
}
