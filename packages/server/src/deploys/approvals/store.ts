// Database access for approvals: rules, pending releases, and approvals given.
import type { Selectable } from 'kysely';
import type {
  ApprovalRuleTable,
  ApproverTable,
  Micros,
  ReleaseTable,
} from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type ApprovalRuleRow = Selectable<ApprovalRuleTable>;
export type ApproverRow = Selectable<ApproverTable>;
export type ReleaseRow = Selectable<ReleaseTable>;

export function findApprovalRule(db: Executor, contentGuid: string) {
  return db
    .selectFrom('approval_rule')
    .leftJoin('user_account', 'user_account.guid', 'approval_rule.user_guid')
    .selectAll('approval_rule')
    .select('user_account.username')
    .where('approval_rule.content_guid', '=', contentGuid)
    .executeTakeFirst();
}
export type NamedApprovalRule = NonNullable<Awaited<ReturnType<typeof findApprovalRule>>>;

export async function saveApprovalRule(db: Executor, row: ApprovalRuleRow): Promise<void> {
  await db
    .insertInto('approval_rule')
    .values(row)
    .onConflict((conflict) => conflict.column('content_guid').doUpdateSet(row))
    .execute();
}

/** Approvers named by the rule of a content item; none if every collaborator may approve. */
export function findApprovers(db: Executor, contentGuid: string): Promise<ApproverRow[]> {
  return db
    .selectFrom('approver')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .orderBy('principal_type', 'desc')
    .orderBy('name')
    .execute();
}

/** Replaces the named approvers. */
export async function saveApprovers(
  db: Executor,
  contentGuid: string,
  rows: readonly Omit<ApproverRow, 'content_guid'>[],
): Promise<void> {
  await db.deleteFrom('approver').where('content_guid', '=', contentGuid).execute();
  if (rows.length === 0) return;
  await db
    .insertInto('approver')
    .values(rows.map((row) => ({ ...row, content_guid: contentGuid })))
    .execute();
}

/** Returns whether there was one. */
export async function removeApprovalRule(db: Executor, contentGuid: string): Promise<boolean> {
  const result = await db
    .deleteFrom('approval_rule')
    .where('content_guid', '=', contentGuid)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

export function findRelease(db: Executor, bundleId: number): Promise<ReleaseRow | undefined> {
  return db.selectFrom('release').selectAll().where('bundle_id', '=', bundleId).executeTakeFirst();
}

/** Releases of a content item that are not live yet. */
export function pendingReleases(db: Executor, contentGuid: string): Promise<ReleaseRow[]> {
  return db
    .selectFrom('release')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('released_time', 'is', null)
    .orderBy('created_time', 'desc')
    .execute();
}

/** Releases of all content that nobody overrode. */
export function everyPendingRelease(db: Executor): Promise<ReleaseRow[]> {
  return db
    .selectFrom('release')
    .selectAll()
    .where('released_time', 'is', null)
    .where('override_by', 'is', null)
    .execute();
}

export async function noteStuck(db: Executor, bundleId: number, time: Micros | null): Promise<void> {
  await db.updateTable('release').set({ stuck_time: time }).where('bundle_id', '=', bundleId).execute();
}

export async function saveRelease(db: Executor, row: ReleaseRow): Promise<void> {
  await db
    .insertInto('release')
    .values(row)
    .onConflict((conflict) => conflict.column('bundle_id').doUpdateSet(row))
    .execute();
}

/** Removes the release and its approvals. */
export async function removeRelease(db: Executor, bundleId: number): Promise<void> {
  await db.deleteFrom('release').where('bundle_id', '=', bundleId).execute();
}

export async function noteReleased(db: Executor, bundleId: number, time: Micros): Promise<void> {
  await db.updateTable('release').set({ released_time: time }).where('bundle_id', '=', bundleId).execute();
}

/** With the current accounts; approvals of deleted users are void. */
export function listApprovals(db: Executor, bundleId: number) {
  return db
    .selectFrom('approval')
    .innerJoin('user_account', 'user_account.guid', 'approval.user_guid')
    .select(['approval.user_guid', 'approval.created_time'])
    .select(['user_account.username', 'user_account.user_role', 'user_account.locked'])
    .where('approval.bundle_id', '=', bundleId)
    .orderBy('approval.created_time')
    .execute();
}
export type NamedApproval = Awaited<ReturnType<typeof listApprovals>>[number];

/** False if it exists already. */
export async function insertApproval(
  db: Executor,
  row: { bundle_id: number; user_guid: string; created_time: Micros },
): Promise<boolean> {
  const result = await db
    .insertInto('approval')
    .values(row)
    .onConflict((conflict) => conflict.columns(['bundle_id', 'user_guid']).doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}
