// Database access for owners in content searches.
import type { UserTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type OwnerRow = Pick<UserTable, 'guid' | 'username' | 'first_name' | 'last_name'>;

/** By GUID. */
export async function contentOwners(db: Executor): Promise<Map<string, OwnerRow>> {
  const rows = await db
    .selectFrom('user_account')
    .select(['guid', 'username', 'first_name', 'last_name'])
    .where('guid', 'in', (eb) => eb.selectFrom('content').select('owner_guid'))
    .execute();
  return new Map(rows.map((row) => [row.guid, row]));
}
