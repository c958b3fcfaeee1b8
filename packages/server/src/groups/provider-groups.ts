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
  type GroupRow,
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
  const { provider, config, audit } = parts;
  if (provider.groups === 'kept' || !config['Authorization.UserGroups']) return false;
  const isProvisioned = provider.groups === 'provisioned';
  // Ids ignore case: the sign for kelvin would otherwise be the letter K of another group.
  const named = isProvisioned ? groups.filter(({ name }) => GROUP_NAME.test(name)) : groups;
  if (isProvisioned) await makeMissing(parts, tx, named);
  const ids = named.map((group) => group.unique_id);
  const [wanted, present] = [await findGroupsByUniqueId(tx, ids), await providerGroupsOf(tx, user.guid)];
  const left = without(present, wanted);
  const joined = without(wanted, present);
  for (const { guid, name } of left) {
    await removeMember(tx, guid, user.guid);
    const description = `Removed user ${user.guid} from group ${name} (${guid}), as the provider says`;
    await audit(tx, SYSTEM, 'remove_group_member', description);
  }
  for (const { guid, name } of joined) {
    await insertMember(tx, guid, user.guid);
    const description = `Added ${user.username} (${user.guid}) to group ${name} (${guid}), as the provider says`;
    await audit(tx, SYSTEM, 'add_group_member', description);
  }
  return left.length + joined.length > 0;
}

function without(groups: readonly GroupRow[], others: readonly GroupRow[]): GroupRow[] {
  const guids = new Set(others.map(({ guid }) => guid));
  return groups.filter(({ guid }) => !guids.has(guid));
}

/** A local group keeps its name: a proxy's group of the same name is ignored. */
async function makeMissing(
  { ids, clock, audit }: Pick<Parts, 'clock' | 'ids' | 'audit'>,
  tx: Executor,
  groups: readonly RemoteGroup[],
): Promise<void> {
  for (const { name, unique_id } of groups) {
    if (await findGroupByName(tx, name)) continue;
    const guid = ids.uuid();
    await insertGroup(tx, { guid, name, unique_id, owner_guid: null, created_time: clock.now() });
    await audit(tx, SYSTEM, 'add_group', `Created group ${name} (${guid})`);
  }
}
