// Approvals of deploys; not in the contract.
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  DateTime,
  Nullable,
  NumericId,
  OneOf,
  PathUuid,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';

const base = { group: 'runs', access: 'user', origin: 'addition', kept: false } as const;
const errors = [400, 401, 403, 404] as const;
const params = Type.Object({ guid: PathUuid });
const one = Type.Object({ guid: PathUuid, id: NumericId });
const rule = { ...base, path: '/v1/content/{guid}/approval-rule', params, errors } as const;

export const MAX_APPROVALS = 10;
export const MAX_APPROVERS = 50;

export const Approver = Closed({
  principal_guid: Uuid,
  principal_type: OneOf(['user', 'group']),
  name: Type.String({ description: 'Its name now, or its last one where it was deleted' }),
  state: OneOf(['ready', 'locked', 'deleted', 'empty', 'not_allowed'], {
    description:
      '`not_allowed`: not a collaborator of the content, or no publisher; for a group: none of its members is ready',
  }),
});
export type Approver = Static<typeof Approver>;

export const ApprovalRule = Closed({
  approvals: Type.Integer({ description: 'Of collaborators other than the author of the bundle' }),
  approvers: Type.Array(Approver, { description: 'Who approves; empty where every collaborator may' }),
  available: Type.Integer({
    description:
      'People who may approve a bundle of the caller now, counted up to 21. With fewer than `approvals` it cannot go live by approval',
  }),
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
  response: ApprovalRule,
});

export const setApprovalRule = endpoint({
  ...rule,
  operationId: 'setApprovalRule',
  visitorKey: false,
  summary:
    'Require approvals before a bundle goes live: a deploy without them is refused with code 22, and asks for them',
  method: 'PUT',
  body: Type.Object({
    approvals: Type.Integer({ minimum: 1, maximum: MAX_APPROVALS, 'x-error': 25 }),
    approvers: Type.Optional(
      Type.Array(Type.Object({ principal_guid: Type.String(), principal_type: OneOf(['user', 'group']) }), {
        maxItems: MAX_APPROVERS,
        'x-error': 25,
        description: 'Who approves; empty: every collaborator may. When absent, it stays as it is',
      }),
    ),
  }),
  status: 200,
  response: ApprovalRule,
});

export const deleteApprovalRule = endpoint({
  ...rule,
  operationId: 'deleteApprovalRule',
  visitorKey: false,
  summary: 'Let bundles go live without approvals',
  method: 'DELETE',
  status: 204,
  response: 'empty',
});

export const Release = Closed({
  bundle_id: Type.String(),
  author_guid: Type.String({ description: 'Who uploaded the bundle, and cannot approve it' }),
  asked_by: Type.String({ description: 'Guid of who asked first' }),
  asked_time: DateTime,
  needed: Type.Integer({
    description:
      'Approvals that the rule requires, one more for a bundle that content uploaded; 0 when there is no rule',
  }),
  approvals: Type.Array(Closed({ user_guid: Uuid, username: Type.String(), created_time: DateTime }), {
    description: 'Of people who may still approve',
  }),
  asked: Type.Array(Closed({ user_guid: Uuid, username: Type.String() }), {
    description: 'Who may approve it now and has not yet, the first 20; empty once it is approved',
  }),
  stuck: Type.Boolean({
    description:
      'Fewer people than needed may approve it: the owner or an administrator changes the rule, or overrides it',
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
  response: Type.Array(Release),
  errors,
});

export const approveRelease = endpoint({
  ...base,
  operationId: 'approveRelease',
  visitorKey: false,
  summary: 'Approve a bundle that waits for it, as a collaborator who did not upload it',
  method: 'POST',
  path: '/v1/content/{guid}/releases/{id}/approve',
  params: one,
  status: 200,
  response: Release,
  errors,
});

export const overrideRelease = endpoint({
  ...base,
  operationId: 'overrideRelease',
  visitorKey: false,
  summary:
    'Let a bundle go live without the approvals that it lacks, for a reason; for the owner and administrators',
  method: 'POST',
  path: '/v1/content/{guid}/releases/{id}/override',
  params: one,
  body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500, 'x-error': 25 }) }),
  status: 200,
  response: Release,
  errors,
});
