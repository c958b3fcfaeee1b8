// API keys: created (shown once), listed, revoked; each by its owner or an administrator.
import { ApiError } from '@pressroom/api';
import { hashSecret, type Caller } from '../auth/authenticator.ts';
import type { Services } from '../services.ts';
import { insertApiKey, removeApiKey, type ApiKeyRow } from '../storage/credentials.ts';
import { findUser } from '../storage/users.ts';

/** @throws ApiError 4, 19, 62 */
export async function createApiKey(services: Services, caller: Caller, userGuid: string, name: string) {
  const { storage, clock, ids, audit } = services;
  if (name.trim() === '') throw new ApiError(62);
  await requireKeyRights(services, caller, userGuid);
  const key = ids.secret();
  const row = await storage.write(async (tx): Promise<ApiKeyRow> => {
    const values = { user_guid: userGuid, name, key_hash: hashSecret(key), created_time: clock.now() };
    const created = await insertApiKey(tx, values);
    await audit(tx, caller, 'add_api_key', `Created API key "${name}" (${created.id}) of user ${userGuid}`);
    return created;
  });
  return { row, key };
}

/** @throws ApiError 4, 19, 17 */
export async function revokeApiKey(
  services: Services,
  caller: Caller,
  userGuid: string,
  id: string,
): Promise<void> {
  const { storage, audit, authenticator } = services;
  await requireKeyRights(services, caller, userGuid);
  await storage.write(async (tx) => {
    const row = await removeApiKey(tx, userGuid, Number(id));
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
