// Approvals: others approve what goes live; not in the contract.
import { endpoint } from '../endpoint.ts';
import { BundleId, Closed, DateTime, Nullable, PathUuid, Type, Uuid, type Static } from '../schema.ts';

const base = { group: 'runs', access: 'user', origin: 'addition', kept: false } as const;
const errors = [400, 401, 403, 404] as const;
const params = Type.Object({ guid: PathUuid });
const one = Type.Object({ guid: PathUuid, id: BundleId });
const rule = { ...base, path: '/v1/content/{guid}/approval-rule', params, errors } as const;

export const MOST_APPROVALS = 10;

export const ApprovalRule = Closed({
  approvals: Type.Integer({ description: 'Of collaborators other than the author of the bundle' }),
  user_guid: Uuid,
  username: Nullable(Type.String({ description: 'Who set the rule; null for a deleted user' })),
  created_time: DateTime,
});
export type ApprovalRule = Static<typeof ApprovalRule>;

export const getApprovalRule = endpoint({
  ...rule,
  operationId: 'getApprovalRule',
  summary: 'Read how many approvals a bundle needs before it goes live; 404 when it needs none',
  method: 'GET',
  status: 200,
  answer: ApprovalRule,
});

export const setApprovalRule = endpoint({
  ...rule,
  operationId: 'setApprovalRule',
  summary:
    'Require approvals before a bundle goes live: a deploy without them is refused with code 22, and asks for them',
  method: 'PUT',
  body: Type.Object({
    approvals: Type.Integer({ minimum: 1, maximum: MOST_APPROVALS, 'x-error': 25 }),
  }),
  status: 200,
  answer: ApprovalRule,
});

export const deleteApprovalRule = endpoint({
  ...rule,
  operationId: 'deleteApprovalRule',
  summary: 'Let bundles go live without approvals',
  method: 'DELETE',
  status: 204,
  answer: 'empty',
});

export const Release = Closed({
  bundle_id: Type.String(),
  author_guid: Type.String({ description: 'Who uploaded the bundle, and cannot approve it' }),
  asked_by: Type.String({ description: 'Guid of who asked first' }),
  asked_time: DateTime,
  needed: Type.Integer({ description: 'Approvals that the rule requires; 0 when there is none any more' }),
  approvals: Type.Array(Closed({ user_guid: Uuid, username: Type.String(), created_time: DateTime }), {
    description: 'Of people who may still approve',
  }),
  override_reason: Nullable(Type.String({ description: 'Why it may go live without approvals' })),
  approved: Type.Boolean({ description: 'A deploy of the bundle is not refused' }),
});
export type Release = Static<typeof Release>;

export const getReleases = endpoint({
  ...base,
  operationId: 'getReleases',
  summary: 'List the bundles that wait for approval',
  method: 'GET',
  path: '/v1/content/{guid}/releases',
  params,
  status: 200,
  answer: Type.Array(Release),
  errors,
});

export const approveRelease = endpoint({
  ...base,
  operationId: 'approveRelease',
  summary: 'Approve a bundle that waits for it, as a collaborator who did not upload it',
  method: 'POST',
  path: '/v1/content/{guid}/releases/{id}/approve',
  params: one,
  status: 200,
  answer: Release,
  errors,
});

export const overrideRelease = endpoint({
  ...base,
  operationId: 'overrideRelease',
  summary:
    'Let a bundle go live without the approvals that it lacks, for a reason; for the owner and administrators',
  method: 'POST',
  path: '/v1/content/{guid}/releases/{id}/override',
  params: one,
  body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500, 'x-error': 25 }) }),
  status: 200,
  answer: Release,
  errors,
});
