// The content that a group has a permission for, with all other permissions on it.
import type { GroupContent } from '@pressroom/api/contract';
import { contentRole, mayAct } from '../content/policy.ts';
import { listContent } from '../content/store.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { namedPermissions } from './store.ts';

/** Content whose permissions the caller may read, by creation time. */
export async function contentOfGroup(db: Executor, guid: string, caller: Caller): Promise<GroupContent[]> {
  const permissions = Map.groupBy(await namedPermissions(db, guid), ({ content_guid }) => content_guid);
  return (await listContent(db, caller.guid, { group: guid })).flatMap(
    ({ granted, ...content }): GroupContent[] => {
      const given = permissions.get(content.guid);
      if (!given || !mayAct('readPermissions', contentRole(content, caller, granted), caller)) return [];
      return [
        {
          content_guid: content.guid,
          content_name: content.name,
          content_title: content.title,
          access_type: content.access_type,
          permissions: given.map(({ principal_guid, principal_name, principal_role, principal_type }) => ({
            principal_guid,
            principal_name,
            principal_role,
            principal_type,
          })),
        },
      ];
    },
  );
}
