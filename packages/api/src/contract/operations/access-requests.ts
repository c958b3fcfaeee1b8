// Requests for access to content, and of viewers to become publishers; decided by others. Not in the contract, except
// for its codes 94 and 124.
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

const message = Type.Optional(
  Nullable(
    Type.String({
      maxLength: 500,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      'x-form': 'at most 500 characters in one line',
      description: 'Why, in one line, for those who decide',
      'x-error': 25,
    }),
  ),
);
const decision = OneOf(['grant', 'decline'], { 'x-error': 25 });

export const requestContentAccess = endpoint({
  ...base,
  operationId: 'requestContentAccess',
  visitorKey: false,
  summary:
    'Ask for access to a content item that the caller may not view; a request is open for 30 days, and can be made again 24 hours after a declined one was made',
  method: 'POST',
  path,
  params,
  body: Type.Object({ message }),
  status: 200,
  response: AccessRequest,
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
  response: Type.Array(AccessRequest),
  errors: [400, 401, 403, 404],
});

export const decideContentAccessRequest = endpoint({
  ...base,
  operationId: 'decideContentAccessRequest',
  visitorKey: false,
  summary: 'Grant a request for access, which adds a permission, or decline it; both close it',
  method: 'PUT',
  path: `${path}/{id}`,
  params: Type.Object({ guid: PathUuid, id: NumericId }),
  body: Type.Object({
    decision,
    role: Type.Optional(
      OneOf(['viewer', 'owner'], {
        description: 'What a grant makes: `owner` a collaborator; absent: a viewer',
        'x-error': 25,
      }),
    ),
  }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404, 409],
});

export const ListedAccessRequest = Closed({
  ...AccessRequest.properties,
  content_name: Type.String(),
  content_title: Nullable(Type.String()),
});
export type ListedAccessRequest = Static<typeof ListedAccessRequest>;

export const getAccessRequests = endpoint({
  ...base,
  operationId: 'getAccessRequests',
  summary:
    'List the open requests for access to all content that the caller may share, the oldest first, at most 500; administrators see those to all content',
  method: 'GET',
  path: '/v1/access-requests',
  status: 200,
  response: Type.Array(ListedAccessRequest),
  errors: [401, 403],
});

export const RoleRequest = Closed({
  user_guid: Uuid,
  username: Type.String(),
  message: Nullable(Type.String()),
  created_time: DateTime,
});
export type RoleRequest = Static<typeof RoleRequest>;

const roles = { group: 'users', origin: 'addition' } as const;

export const requestPublisherRole = endpoint({
  ...roles,
  operationId: 'requestPublisherRole',
  visitorKey: false,
  summary:
    'Ask the administrators for the publisher role, as a viewer, once per 24 hours; a request is open for 30 days',
  method: 'POST',
  path: '/v1/role-requests',
  access: 'user',
  body: Type.Object({ message }),
  status: 200,
  response: RoleRequest,
  errors: [400, 401, 403, 409],
});

export const getRoleRequests = endpoint({
  ...roles,
  operationId: 'getRoleRequests',
  summary: 'List the open requests for the publisher role, the oldest first, at most 500',
  method: 'GET',
  path: '/v1/role-requests',
  access: 'administrator',
  status: 200,
  response: Type.Array(RoleRequest),
  errors: [401, 403],
});

export const decideRoleRequest = endpoint({
  ...roles,
  operationId: 'decideRoleRequest',
  summary: 'Make a viewer who asked for it a publisher, or decline the request; both close it',
  method: 'PUT',
  path: '/v1/role-requests/{guid}',
  access: 'administrator',
  params: Type.Object({ guid: PathUuid }),
  body: Type.Object({ decision }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
});
