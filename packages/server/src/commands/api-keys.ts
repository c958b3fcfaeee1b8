// API keys: created (shown once), listed, revoked; each by its owner or an administrator.
import { ApiError } from '@pressroom/api';
import { hashSecret, type Caller } from '../auth/authenticator.ts';
import type { Actor } from '../domain/audit.ts';
import type { Services } from '../services.ts';
import { insertApiKey, removeApiKey, type ApiKeyRow } from '../storage/credentials.ts';
import type { Executor } from '../storage/db.ts';
import { findUser } from '../storage/users.ts';

/** @throws ApiError 4, 19, 62 */
export async function createApiKey(services: Services, caller: Caller, userGuid: string, name: string) {
  if (name.trim() === '') throw new ApiError(62);
  await requireKeyRights(services, caller, userGuid);
  return services.storage.write((tx) => mintApiKey(services, tx, caller, userGuid, name));
}

export interface MintedKey {
  readonly row: ApiKeyRow;
  /** The key itself: nothing keeps it. */
  readonly key: string;
}

/** Makes a key within a transaction, for whoever was checked to be entitled to it. */
export async function mintApiKey(
  { clock, ids, audit }: Services,
  tx: Executor,
  actor: Actor,
  userGuid: string,
  name: string,
): Promise<MintedKey> {
  const key = ids.secret();
  const values = { user_guid: userGuid, name, key_hash: hashSecret(key), created_time: clock.now() };
  const row = await insertApiKey(tx, values);
  await audit(tx, actor, 'add_api_key', `Created API key "${name}" (${row.id}) of user ${userGuid}`);
  return { row, key };
}

/** @throws ApiError 4, 19, 17 */
export async function revokeApiKey(
  services: Services,
  caller: Caller,
  userGuid: string,
  id: string,
): Promise<void> {
  const { storage, audit, authenticator, clock } = services;
  await requireKeyRights(services, caller, userGuid);
  await storage.write(async (tx) => {
    const row = await removeApiKey(tx, userGuid, Number(id), clock.now());
    if (!row) throw new ApiError(17);
    await audit(
      tx,
      caller,
      'remove_api_key',
      `Revoked API key "${row.name}" (${row.id}) of user ${userGuid}`,
    );
  });
  authenticator.forget(userGuid);
}

/** Only an administrator may make or see keys of somebody else. */
export async function requireKeyRights(
  { storage }: Services,
  caller: Caller,
  userGuid: string,
): Promise<void> {
  if (caller.guid === userGuid) return;
  if (caller.role !== 'administrator') throw new ApiError(19);
  if (!(await findUser(storage.db, userGuid))) throw new ApiError(4);
}
