// Database access for device sign-ins, by the hashes of their two codes.
import type { DeviceSignInTable, Micros } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type DeviceSignInRow = DeviceSignInTable;

export async function insertDeviceSignIn(db: Executor, row: DeviceSignInRow): Promise<void> {
  await db.insertInto('device_sign_in').values(row).execute();
}

export async function removeExpiredDeviceSignIns(db: Executor, now: Micros): Promise<void> {
  await db.deleteFrom('device_sign_in').where('expires_time', '<=', now).execute();
}

/** The number of unexpired ones: in total, from a network, and from a site. @param site a pattern of its networks */
export async function countDeviceSignIns(
  db: Executor,
  { network, site }: { readonly network: string; readonly site: string },
  now: Micros,
): Promise<{ all: number; near: number; around: number }> {
  const { all, near, around } = await db
    .selectFrom('device_sign_in')
    .select((e) => [
      e.fn.countAll<number>().as('all'),
      e.fn.countAll<number>().filterWhere('network', '=', network).as('near'),
      e.fn.countAll<number>().filterWhere('network', 'like', site).as('around'),
    ])
    .where('expires_time', '>', now)
    .executeTakeFirstOrThrow();
  return { all: Number(all), near: Number(near), around: Number(around) };
}

export function findDeviceSignIn(
  db: Executor,
  by: 'device_hash' | 'user_code_hash',
  hash: string,
): Promise<DeviceSignInRow | undefined> {
  return db.selectFrom('device_sign_in').selectAll().where(by, '=', hash).executeTakeFirst();
}

export async function updateDeviceSignIn(
  db: Executor,
  deviceHash: string,
  changes: Partial<
    Pick<DeviceSignInRow, 'poll_seconds' | 'polled_time' | 'decision' | 'user_guid' | 'expires_time'>
  >,
): Promise<void> {
  await db.updateTable('device_sign_in').set(changes).where('device_hash', '=', deviceHash).execute();
}

/** What a user allowed and the program has not fetched yet. */
export async function denyAllowedBy(db: Executor, userGuid: string): Promise<void> {
  await db
    .updateTable('device_sign_in')
    .set({ decision: 'denied' })
    .where('user_guid', '=', userGuid)
    .where('decision', '=', 'allowed')
    .execute();
}

export async function removeDeviceSignIn(db: Executor, deviceHash: string): Promise<void> {
  await db.deleteFrom('device_sign_in').where('device_hash', '=', deviceHash).execute();
}
