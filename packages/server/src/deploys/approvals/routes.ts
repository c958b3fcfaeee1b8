// Approval operations of the API: rule, pending releases, override.
import type { Release } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { toTimestamp, type Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { readApprovalRule, requireApprovals, requireNoApprovals } from './approval-rule.ts';
import { approve, override, releasesOf, type PendingRelease } from './releases.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly config: Config;
}

export const approvalRoutes = {
  approveRelease,
  deleteApprovalRule,
  getApprovalRule,
  getReleases,
  overrideRelease,
  setApprovalRule,
};

/** Reads how many approvals deploys need, and from whom. */
async function getApprovalRule(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getApprovalRule'>,
): Promise<ApiResponse<'getApprovalRule'>> {
  return readApprovalRule(parts, caller, params.guid);
}

/** Makes deploys require approvals. */
async function setApprovalRule(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setApprovalRule'>,
): Promise<ApiResponse<'setApprovalRule'>> {
  return requireApprovals(parts, caller, params.guid, body);
}

/** Makes deploys require no approvals. */
async function deleteApprovalRule(
  parts: Parts,
  { params, caller }: ApiRequest<'deleteApprovalRule'>,
): Promise<ApiResponse<'deleteApprovalRule'>> {
  await requireNoApprovals(parts, caller, params.guid);
}

/** Lists bundles that wait for approval. */
async function getReleases(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getReleases'>,
): Promise<ApiResponse<'getReleases'>> {
  return (await releasesOf(parts, caller, params.guid)).map(presentRelease);
}

/** Approves a bundle. */
async function approveRelease(
  parts: Parts,
  { params, caller }: ApiRequest<'approveRelease'>,
): Promise<ApiResponse<'approveRelease'>> {
  return presentRelease(await approve(parts, caller, params.guid, params.id));
}

/** Lets a bundle go live without approvals. */
async function overrideRelease(
  parts: Parts,
  { params, body, caller }: ApiRequest<'overrideRelease'>,
): Promise<ApiResponse<'overrideRelease'>> {
  const { reason } = body;
  return presentRelease(await override(parts, caller, params.guid, { id: params.id, reason }));
}

export function presentRelease({
  bundle,
  release,
  needed,
  approvals,
  mayGoLive,
  asked,
  isStuck,
}: PendingRelease): Release {
  return {
    bundle_id: String(bundle.id),
    author_guid: bundle.created_by,
    asked_by: release?.user_guid ?? bundle.created_by,
    asked_time: toTimestamp(release?.created_time ?? bundle.created_time),
    needed,
    approvals: approvals.map(({ user_guid, username, created_time }) => ({
      user_guid,
      username,
      created_time: toTimestamp(created_time),
    })),
    asked: [...asked],
    stuck: isStuck,
    override_reason: release?.override_reason ?? null,
    approved: mayGoLive,
  };
}
