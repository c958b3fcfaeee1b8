// Database access for sessions on content origins, by the hash of their secret only.
import type { ContentSessionTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

/** Maximum sessions of one person on one item, for browsers that lose their cookies. */
const KEPT_FOR_EACH = 20;

export function findContentSession(
  db: Executor,
  tokenHash: string,
): Promise<ContentSessionTable | undefined> {
  return db.selectFrom('content_session').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Removes the oldest of the same session and item beyond the limit. */
export async function insertContentSession(db: Executor, row: ContentSessionTable): Promise<void> {
  await db.insertInto('content_session').values(row).execute();
  const older = db
    .selectFrom('content_session')
    .select('token_hash')
    .where('session_hash', '=', row.session_hash)
    .where('content_guid', '=', row.content_guid)
    .orderBy('created_time', 'desc')
    .limit(1_000_000)
    .offset(KEPT_FOR_EACH);
  await db.deleteFrom('content_session').where('token_hash', 'in', older).execute();
}
