// Approvers of a content item: named by the rule, directly or through a group, and with the right at this moment.
import { errors, type Approver } from '@pressroom/api/contract';
import { mayAct } from '../../content/policy.ts';
import type { ContentRow } from '../../content/store.ts';
import { findGroup, listMembers } from '../../groups/store.ts';
import { findUser } from '../../people/store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { isMemberOfAny, listCollaborators } from './approver-store.ts';
import { findApprovers, type ApproverRow } from './store.ts';

export type Principal = Pick<ApproverRow, 'principal_guid' | 'principal_type'>;

/** Maximum people read: more than a rule can require or a message can name. */
const LOOKED_AT = 21;

export interface ReadyApprover {
  readonly user_guid: string;
  readonly username: string;
}

/** People who may approve now, by username, the first 21. Without `author`, the author counts, too. */
export async function readyApprovers(
  db: Executor,
  content: ContentRow,
  author: string | null,
  only?: Principal,
): Promise<ReadyApprover[]> {
  const named = only ? [only] : await findApprovers(db, content.guid);
  const guids = named.map(({ principal_guid }) => principal_guid);
  const rows = await listCollaborators(db, content, { named: guids, author, limit: LOOKED_AT });
  return rows
    .filter(({ guid, user_role: role }) =>
      mayAct('approveRelease', guid === content.owner_guid ? 'owner' : 'editor', { role }),
    )
    .map(({ guid, username }) => ({ user_guid: guid, username }));
}

/** True for everybody if the rule names nobody. */
export async function isNamed(db: Executor, contentGuid: string, userGuid: string): Promise<boolean> {
  const named = await findApprovers(db, contentGuid);
  if (named.length === 0) return true;
  const guids = named.map(({ principal_guid }) => principal_guid);
  if (guids.includes(userGuid)) return true;
  return isMemberOfAny(db, guids, userGuid);
}

/** The approvers named by the rule, and whether they can approve. */
export async function describeApprovers(db: Executor, content: ContentRow): Promise<Approver[]> {
  const described: Approver[] = [];
  for (const row of await findApprovers(db, content.guid)) {
    const isReady = (await readyApprovers(db, content, null, row)).length > 0;
    const { name, problem } =
      row.principal_type === 'user' ? await userNow(db, row) : await groupNow(db, row);
    const { principal_guid, principal_type } = row;
    described.push({ principal_guid, principal_type, name, state: isReady ? 'ready' : problem });
  }
  return described;
}

type Now = { readonly name: string; readonly problem: Exclude<Approver['state'], 'ready'> };

async function userNow(db: Executor, row: ApproverRow): Promise<Now> {
  const user = await findUser(db, row.principal_guid);
  if (!user) return { name: row.name, problem: 'deleted' };
  return { name: user.username, problem: user.locked ? 'locked' : 'not_allowed' };
}

async function groupNow(db: Executor, row: ApproverRow): Promise<Now> {
  const group = await findGroup(db, row.principal_guid);
  if (!group) return { name: row.name, problem: 'deleted' };
  const hasMembers = (await listMembers(db, group.guid, undefined, { offset: 0, limit: 1 })).total > 0;
  return { name: group.name, problem: hasMembers ? 'not_allowed' : 'empty' };
}

/**
 * With their names, without duplicates. Deleted principals that are named already may stay: dropping them could open
 * the rule.
 * @throws ApiError 9 for other unknown ones
 */
export async function loadPrincipals(
  db: Executor,
  contentGuid: string,
  principals: readonly Principal[],
): Promise<Omit<ApproverRow, 'content_guid'>[]> {
  const before = await findApprovers(db, contentGuid);
  const loaded = new Map<string, Omit<ApproverRow, 'content_guid'>>();
  for (const { principal_guid: given, principal_type } of principals) {
    const guid = given.toLowerCase();
    const isGroup = principal_type === 'group';
    const found = isGroup ? (await findGroup(db, guid))?.name : (await findUser(db, guid))?.username;
    const name =
      found ??
      before.find((row) => row.principal_guid === guid && row.principal_type === principal_type)?.name;
    if (name === undefined)
      throw errors.userNotFound({ message: `there is no ${principal_type} ${guid.slice(0, 64)}` });
    loaded.set(guid, { principal_guid: guid, principal_type, name });
  }
  return [...loaded.values()];
}

/** As in `ada, group reviewers`. */
export function namesOf(approvers: readonly Pick<Approver, 'name' | 'principal_type'>[]): string {
  return approvers
    .map(({ name, principal_type }) => (principal_type === 'group' ? `group ${name}` : name))
    .join(', ');
}
