// The principals of a content item, by name.
import type { Executor } from '../../platform/database/storage.ts';
import { permissionIsOpen } from '../store.ts';

export function usersWithRole(db: Executor, guid: string) {
  return db
    .selectFrom('permission')
    .innerJoin('user_account', 'user_account.guid', 'principal_guid')
    .select(['user_account.guid', 'username', 'first_name', 'last_name', 'user_role', 'role as app_role'])
    .where('content_guid', '=', guid)
    .where(permissionIsOpen('permission'))
    .orderBy('permission.id')
    .execute();
}

export function groupsWithRole(db: Executor, guid: string) {
  return db
    .selectFrom('permission')
    .innerJoin('user_group', 'user_group.guid', 'principal_guid')
    .select(['user_group.guid', 'name', 'role as app_role'])
    .where('content_guid', '=', guid)
    .where(permissionIsOpen('permission'))
    .orderBy('permission.id')
    .execute();
}
