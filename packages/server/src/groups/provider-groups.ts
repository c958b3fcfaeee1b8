// Groups of the provider: members are as reported at their last sign-in.
import { SYSTEM, type Audit } from '../audit/record.ts';
import type { Config } from '../main/config/settings.ts';
import type { RemoteGroup } from '../people/directory.ts';
import type { UserRow } from '../people/store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { SignInProvider } from '../sign-in/providers/provider.ts';
import {
  findGroupByName,
  findGroupsByUniqueId,
  insertGroup,
  insertMember,
  providerGroupsOf,
  removeMember,
} from './store.ts';

interface Parts {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly provider: SignInProvider;
}

const GROUP_NAME = /^[A-Za-z0-9]{3,64}$/;

/**
 * Makes the person a member of exactly these groups of the provider, if they exist. Returns whether anything changed.
 */
export async function joinGroupsOf(
  parts: Parts,
  tx: Executor,
  user: UserRow,
  groups: readonly RemoteGroup[],
): Promise<boolean> {
  const { provider, config } = parts;
  if (provider.groups === 'kept' || !config['Authorization.UserGroups']) return false;
  if (provider.groups === 'provisioned') await makeMissing(parts, tx, groups);
  const ids = groups.map((group) => group.unique_id);
  const wanted = new Set((await findGroupsByUniqueId(tx, ids)).map((group) => group.guid));
  const present = new Set((await providerGroupsOf(tx, user.guid)).map((group) => group.guid));
  const left = [...present].filter((guid) => !wanted.has(guid));
  const joined = [...wanted].filter((guid) => !present.has(guid));
  for (const guid of left) await removeMember(tx, guid, user.guid);
  for (const guid of joined) await insertMember(tx, guid, user.guid);
  return left.length + joined.length > 0;
}

/** A local group keeps its name: a proxy's group of the same name is ignored. */
async function makeMissing(
  { ids, clock, audit }: Pick<Parts, 'clock' | 'ids' | 'audit'>,
  tx: Executor,
  groups: readonly RemoteGroup[],
): Promise<void> {
  for (const { name, unique_id } of groups) {
    if (!GROUP_NAME.test(name) || (await findGroupByName(tx, name))) continue;
    const guid = ids.uuid();
    await insertGroup(tx, { guid, name, unique_id, owner_guid: null, created_time: clock.now() });
    await audit(tx, SYSTEM, 'add_group', `Created group ${name} (${guid})`);
  }
}
