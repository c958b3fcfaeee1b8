// Database access for second factors: authenticator apps, recovery codes, passkeys.
import type { Selectable } from 'kysely';
import type { Micros, PasskeyTable, TotpTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type TotpRow = Selectable<TotpTable>;
export type PasskeyRow = PasskeyTable;

export function findTotp(db: Executor, userGuid: string): Promise<TotpRow | undefined> {
  return db.selectFrom('totp').selectAll().where('user_guid', '=', userGuid).executeTakeFirst();
}

export function listTotps(db: Executor): Promise<TotpRow[]> {
  return db.selectFrom('totp').selectAll().orderBy('user_guid').execute();
}

/** Replaces exactly this encrypted secret; false if it has changed. */
export async function replaceTotpSecret(db: Executor, row: TotpRow, sealed: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('totp')
    .set({ secret: sealed })
    .where('user_guid', '=', row.user_guid)
    .where('secret', '=', row.secret)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function insertTotp(db: Executor, row: Omit<TotpRow, 'failures'>): Promise<void> {
  await db.insertInto('totp').values(row).execute();
}

/** Returns false if that step, or a later one, was used before. Wrong codes before it no longer count. */
export async function useTotpStep(db: Executor, userGuid: string, step: number): Promise<boolean> {
  const result = await db
    .updateTable('totp')
    .set({ last_step: step, failures: 0 })
    .where('user_guid', '=', userGuid)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function countWrongCode(db: Executor, userGuid: string): Promise<void> {
  await db
    .updateTable('totp')
    .set((e) => ({ failures: e('failures', '+', 1) }))
    .where('user_guid', '=', userGuid)
    .execute();
}

export async function forgetWrongCodes(db: Executor, userGuid: string): Promise<void> {
  await db.updateTable('totp').set({ failures: 0 }).where('user_guid', '=', userGuid).execute();
}

export async function removeTotp(db: Executor, userGuid: string): Promise<void> {
  await db.deleteFrom('totp').where('user_guid', '=', userGuid).execute();
}

/** Replaces earlier codes. */
export async function setRecoveryCodes(
  db: Executor,
  userGuid: string,
  hashes: readonly string[],
): Promise<void> {
  await db.deleteFrom('recovery_code').where('user_guid', '=', userGuid).execute();
  if (hashes.length === 0) return;
  const rows = hashes.map((code_hash) => ({ code_hash, user_guid: userGuid }));
  await db.insertInto('recovery_code').values(rows).execute();
}

/** Returns false if the code does not exist, or was used. */
export async function useRecoveryCode(db: Executor, userGuid: string, hash: string): Promise<boolean> {
  const result = await db
    .deleteFrom('recovery_code')
    .where('user_guid', '=', userGuid)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export async function countRecoveryCodes(db: Executor, userGuid: string): Promise<number> {
  const rows = await db
    .selectFrom('recovery_code')
    .select('code_hash')
    .where('user_guid', '=', userGuid)
    .execute();
  return rows.length;
}

export function listPasskeys(db: Executor, userGuid: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkey')
    .selectAll()
    .where('user_guid', '=', userGuid)
    .orderBy('created_time')
    .execute();
}

export function findPasskey(db: Executor, id: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkey').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertPasskey(db: Executor, row: PasskeyRow): Promise<void> {
  await db.insertInto('passkey').values(row).execute();
}

/** Returns false if it was removed. */
export async function usePasskey(db: Executor, id: string, counter: number, now: Micros): Promise<boolean> {
  const used = { counter, last_used_time: now };
  const result = await db.updateTable('passkey').set(used).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Returns the removed passkey. */
export function removePasskey(db: Executor, userGuid: string, id: string): Promise<PasskeyRow | undefined> {
  return db
    .deleteFrom('passkey')
    .where('user_guid', '=', userGuid)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Removes all: by an administrator for somebody who lost them. */
export async function removeSecondFactors(db: Executor, userGuid: string): Promise<void> {
  await removeTotp(db, userGuid);
  await setRecoveryCodes(db, userGuid, []);
  await db.deleteFrom('passkey').where('user_guid', '=', userGuid).execute();
}
