// Deploy locks: nobody deploys the content, whatever their rights, until the lock ends or is removed.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import { loadContent } from '../../content/commands.ts';
import { aboutContent } from '../../content/store.ts';
import { toTimestamp, type Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { findDeployLock, removeDeployLock, saveDeployLock, type NamedDeployLock } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** @throws ApiError 4 if deploys are not locked */
export async function readDeployLock(
  { storage, clock }: Pick<Parts, 'storage' | 'clock'>,
  caller: Caller,
  guid: string,
): Promise<NamedDeployLock> {
  const { content } = await loadContent(storage.db, guid, caller, 'readJobs');
  const row = await findDeployLock(storage.db, content.guid, clock.now());
  if (!row) throw errors.notFound({ message: 'deploys of this content are not locked' });
  return row;
}

/** @throws ApiError 25 for an end in the past */
export async function lockDeploys(
  { storage, audit, clock }: Parts,
  caller: Caller,
  guid: string,
  { reason, until }: { readonly reason: string; readonly until: number | null },
): Promise<NamedDeployLock> {
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    const now = clock.now();
    if (until !== null && until <= now)
      throw errors.invalidParameter({ message: 'until must be in the future', field: 'until' });
    const row = { content_guid: content.guid, reason, until, user_guid: caller.guid, created_time: now };
    await saveDeployLock(tx, row);
    const end = until === null ? '' : ` until ${toTimestamp(until)}`;
    const description = `Locked deploys of ${content.name} (${content.guid})${end}: ${reason}`;
    await audit(tx, caller, 'lock_deploys', description, { content: content.guid });
    return { ...row, username: caller.username };
  }, aboutContent(guid));
}

/** No lock to remove: nothing to do. */
export async function unlockDeploys(
  { storage, audit }: Pick<Parts, 'storage' | 'audit'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    if (!(await removeDeployLock(tx, content.guid))) return;
    const description = `Unlocked deploys of ${content.name} (${content.guid})`;
    await audit(tx, caller, 'unlock_deploys', description, { content: content.guid });
  }, aboutContent(guid));
}
