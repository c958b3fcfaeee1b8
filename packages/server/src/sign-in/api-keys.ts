// API keys: create (shown once), list, revoke; by their owner or an administrator.
import { errors, type ServerRole } from '@pressroom/api/contract';
import type { Actor, Audit } from '../audit/record.ts';
import { TOKEN_PREFIX } from '../http/request-forgery.ts';
import { ROLE_RANK } from '../people/roles.ts';
import { findUser, type UserRow } from '../people/store.ts';
import { type Clock, type Ids, toTimestamp } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { type Authenticator, type Caller, hashSecret } from './authenticator.ts';
import { type ApiKeyRow, insertApiKey, removeApiKey } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
}

/** A token is a key that OAuth clients send as `Bearer`. */
export type KeyForm = 'key' | 'token';

export interface NewKey {
  readonly name: string;
  readonly as?: KeyForm;
  /** Maximum role of requests with it; null for its owner's. */
  readonly role?: ServerRole | null;
  readonly expires?: Micros | null;
}

/** @throws ApiError 4, 19, 23, 25, 62 */
export async function createApiKey(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit'>,
  caller: Caller,
  userGuid: string,
  wanted: NewKey,
): Promise<MintedKey> {
  if (wanted.name.trim() === '') throw errors.apiKeyNameBlank();
  const now = parts.clock.now();
  if (typeof wanted.expires === 'number' && wanted.expires <= now)
    throw errors.invalidParameter({ message: 'expires_time must be in the future', field: 'expires_time' });
  await requireKeyRights(parts, caller, userGuid);
  return parts.storage.write(async (tx) => {
    const owner = await findUser(tx, userGuid);
    if (!owner) throw errors.notFound();
    return mintApiKey(parts, tx, caller, owner.guid, within(caller, owner, wanted));
  });
}

/** A key has at most the rights of its owner, and of the key that created it. @throws ApiError 23 */
function within({ limits }: Caller, owner: UserRow, wanted: NewKey): NewKey {
  const most = limits?.role ?? null;
  const role = wanted.role ?? most;
  const above = (limit: ServerRole | null) =>
    role !== null && limit !== null && ROLE_RANK[role] > ROLE_RANK[limit];
  if (above(owner.user_role) && wanted.role)
    throw errors.roleDenied({ message: 'an API key cannot have a higher role than its owner' });
  if (above(most))
    throw errors.roleDenied({ message: 'an API key cannot create a key with more permissions than its own' });
  const ends = [wanted.expires ?? null, limits?.expires_time ?? null].filter((time) => time !== null);
  return { name: wanted.name, role, expires: ends.length === 0 ? null : Math.min(...ends) };
}

export interface MintedKey {
  readonly row: ApiKeyRow;
  /** The key itself, which is not stored. */
  readonly key: string;
}

export function newKey(ids: Ids, as: KeyForm): string {
  return (as === 'token' ? TOKEN_PREFIX : '') + ids.apiKey();
}

/** Creates a key in a transaction, after the caller was authorized. */
export async function mintApiKey(
  { clock, ids, audit }: Pick<Parts, 'clock' | 'ids' | 'audit'>,
  tx: Executor,
  actor: Actor,
  userGuid: string,
  { name, as = 'key', role = null, expires = null }: NewKey,
): Promise<MintedKey> {
  const key = newKey(ids, as);
  const values = { user_guid: userGuid, name, key_hash: hashSecret(key), created_time: clock.now() };
  const row = await insertApiKey(tx, { ...values, role, expires_time: expires });
  const bounds = [
    role === null ? '' : `, for what a ${role} may do`,
    expires === null ? '' : `, until ${toTimestamp(expires)}`,
  ].join('');
  await audit(tx, actor, 'add_api_key', `Created API key "${name}" (${row.id}) of user ${userGuid}${bounds}`);
  return { row, key };
}

/** @throws ApiError 4, 19, 17 */
export async function revokeApiKey(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'authenticator'>,
  caller: Caller,
  userGuid: string,
  id: string,
): Promise<void> {
  const { storage, audit, authenticator, clock } = parts;
  await requireKeyRights(parts, caller, userGuid);
  await storage.write(async (tx) => {
    const row = await removeApiKey(tx, userGuid, Number(id), clock.now());
    if (!row) throw errors.itemToRemoveNotFound();
    await audit(
      tx,
      caller,
      'remove_api_key',
      `Revoked API key "${row.name}" (${row.id}) of user ${userGuid}`,
    );
  });
  authenticator.forget(userGuid);
}

/** Only administrators may create or see keys of others. */
export async function requireKeyRights(
  { storage }: Pick<Parts, 'storage'>,
  caller: Caller,
  userGuid: string,
): Promise<void> {
  if (caller.guid === userGuid) return;
  if (caller.role !== 'administrator') throw errors.accessDenied();
  if (!(await findUser(storage.db, userGuid))) throw errors.notFound();
}
