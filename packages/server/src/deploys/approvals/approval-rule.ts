// The rule that deploys need approvals: how many, and from whom.
import { errors, type ApprovalRule } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import { loadContent } from '../../content/commands.ts';
import { aboutContent, type ContentRow } from '../../content/store.ts';
import type { Config } from '../../main/config/settings.ts';
import { toTimestamp, type Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { voidReleases } from './approvals.ts';
import { describeApprovers, loadPrincipals, namesOf, readyApprovers, type Principal } from './approvers.ts';
import { findApprovalRule, removeApprovalRule, saveApprovalRule, saveApprovers } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly config: Config;
}

/** @throws ApiError 4 if no approvals are required */
export async function readApprovalRule(
  { storage }: Pick<Parts, 'storage'>,
  caller: Caller,
  guid: string,
): Promise<ApprovalRule> {
  const { content } = await loadContent(storage.db, guid, caller, 'readJobs');
  return describeRule(storage.db, content, caller);
}

export interface WantedRule {
  readonly approvals: number;
  /** Empty: every collaborator. Absent: unchanged, so that changing only the number does not open the rule. */
  readonly approvers?: readonly Principal[];
}

/** @throws ApiError 9 for unknown people and groups */
export async function requireApprovals(
  { storage, audit, clock }: Parts,
  caller: Caller,
  guid: string,
  { approvals, approvers }: WantedRule,
): Promise<ApprovalRule> {
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageApprovalRule');
    const row = { content_guid: content.guid, approvals, user_guid: caller.guid, created_time: clock.now() };
    await saveApprovalRule(tx, row);
    if (approvers) await saveApprovers(tx, content.guid, await loadPrincipals(tx, content.guid, approvers));
    const rule = await describeRule(tx, content, caller);
    const by = rule.approvers.length === 0 ? 'any collaborators' : namesOf(rule.approvers);
    const description = `Deploys of ${content.name} (${content.guid}) need ${approvals} approvals by ${by}`;
    await audit(tx, caller, 'edit_approval_rule', description, { content: content.guid });
    return rule;
  }, aboutContent(guid));
}

/** No rule to remove: nothing to do. Bundles wait for approval no longer. */
export async function requireNoApprovals(parts: Parts, caller: Caller, guid: string): Promise<void> {
  const { storage, audit } = parts;
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageApprovalRule');
    if (!(await removeApprovalRule(tx, content.guid))) return;
    await voidReleases(tx, parts, caller, content, {
      code: 'not_needed',
      text: 'no approval is needed any more',
    });
    const description = `Deploys of ${content.name} (${content.guid}) need no approval`;
    await audit(tx, caller, 'remove_approval_rule', description, { content: content.guid });
  }, aboutContent(guid));
}

async function describeRule(db: Executor, content: ContentRow, caller: Caller): Promise<ApprovalRule> {
  const row = await findApprovalRule(db, content.guid);
  if (!row) throw errors.notFound({ message: 'deploys of this content need no approval' });
  const { approvals, user_guid, username, created_time } = row;
  const approvers = await describeApprovers(db, content);
  const available = (await readyApprovers(db, content, caller.guid)).length;
  return { approvals, approvers, available, user_guid, username, created_time: toTimestamp(created_time) };
}
