// Locks on deploys.
import type { Selectable } from 'kysely';
import type { DeployLockTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type DeployLockRow = Selectable<DeployLockTable>;

/** The lock in effect at a time; undefined for none or an expired one. */
export function findDeployLock(db: Executor, contentGuid: string, now: number) {
  return db
    .selectFrom('deploy_lock')
    .leftJoin('user_account', 'user_account.guid', 'deploy_lock.user_guid')
    .selectAll('deploy_lock')
    .select('user_account.username')
    .where('deploy_lock.content_guid', '=', contentGuid)
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .executeTakeFirst();
}
export type NamedDeployLock = NonNullable<Awaited<ReturnType<typeof findDeployLock>>>;

export async function saveDeployLock(db: Executor, row: DeployLockRow): Promise<void> {
  await db
    .insertInto('deploy_lock')
    .values(row)
    .onConflict((conflict) => conflict.column('content_guid').doUpdateSet(row))
    .execute();
}

/** Returns whether there was one. */
export async function removeDeployLock(db: Executor, contentGuid: string): Promise<boolean> {
  const result = await db
    .deleteFrom('deploy_lock')
    .where('content_guid', '=', contentGuid)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}
