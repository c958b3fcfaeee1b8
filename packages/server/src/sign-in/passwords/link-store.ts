// Database access for password links, by the hash of their token.
import type { Micros, PasswordLinkTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type PasswordLinkRow = PasswordLinkTable;

export async function insertPasswordLink(db: Executor, row: PasswordLinkRow): Promise<void> {
  await db.insertInto('password_link').values(row).execute();
}

export function findPasswordLink(db: Executor, tokenHash: string): Promise<PasswordLinkRow | undefined> {
  return db.selectFrom('password_link').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Links mailed to a user since a time: prevents flooding a mailbox. */
export async function countMailedLinks(db: Executor, userGuid: string, since: Micros): Promise<number> {
  const rows = await db
    .selectFrom('password_link')
    .select('token_hash')
    .where('user_guid', '=', userGuid)
    .where('mailed_to', 'is not', null)
    .where('created_time', '>', since)
    .execute();
  return rows.length;
}

/** All links of a user: after setting a password, none is needed. */
export async function removePasswordLinks(db: Executor, userGuid: string): Promise<void> {
  await db.deleteFrom('password_link').where('user_guid', '=', userGuid).execute();
}

export async function removeExpiredPasswordLinks(db: Executor, now: Micros): Promise<void> {
  await db.deleteFrom('password_link').where('expires_time', '<=', now).execute();
}
