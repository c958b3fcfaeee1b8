// People who may not view content ask for access to it; those who share it decide. Not in the contract.
import { endpoint } from '../endpoint.ts';
import { BundleId, Closed, DateTime, Nullable, OneOf, PathUuid, Type, Uuid, type Static } from '../schema.ts';

const base = { group: 'permissions', access: 'user', origin: 'addition' } as const;
const params = Type.Object({ guid: PathUuid });
const path = '/v1/content/{guid}/access-requests';

export const AccessRequest = Closed({
  id: Type.String(),
  content_guid: Uuid,
  user_guid: Uuid,
  username: Type.String(),
  message: Nullable(Type.String()),
  created_time: DateTime,
});
export type AccessRequest = Static<typeof AccessRequest>;

export const requestContentAccess = endpoint({
  ...base,
  operationId: 'requestContentAccess',
  summary: 'Ask for access to a content item that the caller may not view; a request is open for 30 days',
  method: 'POST',
  path,
  params,
  body: Type.Object({
    message: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 500,
          pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
          description: 'Why, in one line, for those who decide',
          'x-error': 25,
        }),
      ),
    ),
  }),
  status: 200,
  answer: AccessRequest,
  errors: [400, 401, 403, 404, 409],
});

export const getContentAccessRequests = endpoint({
  ...base,
  operationId: 'getContentAccessRequests',
  summary: 'List the open requests for access to a content item, the oldest first',
  method: 'GET',
  path,
  params,
  status: 200,
  answer: Type.Array(AccessRequest),
  errors: [400, 401, 403, 404],
});

export const decideContentAccessRequest = endpoint({
  ...base,
  operationId: 'decideContentAccessRequest',
  summary: 'Grant a request for access, which adds a permission, or decline it; both remove it',
  method: 'PUT',
  path: `${path}/{id}`,
  params: Type.Object({ guid: PathUuid, id: BundleId }),
  body: Type.Object({
    decision: OneOf(['grant', 'decline'], { 'x-error': 25 }),
    role: Type.Optional(
      OneOf(['viewer', 'owner'], {
        description: 'What a grant makes: `owner` a collaborator; absent: a viewer',
        'x-error': 25,
      }),
    ),
  }),
  status: 204,
  answer: 'empty',
  errors: [400, 401, 403, 404, 409],
});
