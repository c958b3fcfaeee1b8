// The usernames of owners, if the caller may see their accounts.
import type { Config } from '../../main/config/settings.ts';
import { seesAccount } from '../../people/policy.ts';
import { findUsers } from '../../people/store.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import type { ContentRow } from '../store.ts';

type Owned = Pick<ContentRow, 'owner_guid'>;

export interface OwnerNames {
  /** Empty for an owner whom the caller may not see. */
  of(content: Owned): string;
}

export async function ownerNames(
  { config, storage }: { readonly config: Config; readonly storage: Storage },
  caller: Caller,
  contents: readonly Owned[],
): Promise<OwnerNames> {
  const owners = new Set(contents.map((content) => content.owner_guid));
  const visible = [...owners].filter((guid) => seesAccount(config, caller, guid));
  const users = await findUsers(storage.db, visible);
  const names = new Map(users.map((user) => [user.guid, user.username]));
  return { of: ({ owner_guid }) => names.get(owner_guid) ?? '' };
}
