// Removes expired permissions, which queries ignore already, and rechecks connected visitors.
import { SYSTEM, type Audit } from '../../audit/record.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { endedPermissions, findContent, removePermission } from '../store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly contentChanged: (guid: string) => void;
}

/** Returns the content items with a removed permission. */
export async function endPermissions({ storage, audit, contentChanged }: Parts): Promise<string[]> {
  if ((await endedPermissions(storage.db)).length === 0) return [];
  const guids = await storage.write(async (tx) => {
    const ended = await endedPermissions(tx);
    for (const { id, content_guid, principal_type, principal_guid, expires_time } of ended) {
      await removePermission(tx, id);
      const name = (await findContent(tx, content_guid))?.name ?? content_guid;
      const action = principal_type === 'user' ? 'remove_user_app_role' : 'remove_group_app_role';
      const description = `The permission of ${principal_type} ${principal_guid} on ${name} (${content_guid}) ended at ${toTimestamp(expires_time ?? 0)}`;
      await audit(tx, SYSTEM, action, description, { content: content_guid });
    }
    return [...new Set(ended.map(({ content_guid }) => content_guid))];
  });
  for (const guid of guids) contentChanged(guid);
  return guids;
}
