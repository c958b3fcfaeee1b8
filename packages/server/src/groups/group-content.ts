// The content that a group has a permission for, with all other permissions on it.
import type { GroupContent } from '@pressroom/api/contract';
import { mayAct } from '../content/policy.ts';
import { readVisible, type Reader } from '../content/visible.ts';
import type { Portions } from '../http/portions.ts';
import type { Storage } from '../platform/database/storage.ts';
import { namedPermissions } from './store.ts';

/** Content whose permissions the caller may read, by creation time. */
export async function* contentOfGroup(
  parts: { readonly storage: Storage },
  group: string,
  reader: Reader,
): Portions<GroupContent> {
  for await (const { caller, items } of readVisible(parts, reader, { group })) {
    const readable = items.filter(({ role }) => mayAct('readPermissions', role, caller));
    const guids = readable.map(({ content }) => content.guid);
    const named = guids.length === 0 ? [] : await namedPermissions(parts.storage.db, guids);
    const permissions = Map.groupBy(named, ({ content_guid }) => content_guid);
    yield readable.map(({ content }) => ({
      content_guid: content.guid,
      content_name: content.name,
      content_title: content.title,
      access_type: content.access_type,
      permissions: (permissions.get(content.guid) ?? []).map(
        ({ principal_guid, principal_name, principal_role, principal_type }) => ({
          principal_guid,
          principal_name,
          principal_role,
          principal_type,
        }),
      ),
    }));
  }
}
