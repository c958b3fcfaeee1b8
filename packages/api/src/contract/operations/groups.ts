// Groups and their members (contract, 4.4).
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  Defaulted,
  Limit,
  OptionalPaging,
  Nullable,
  OffsetQuery,
  OneOf,
  PageOf,
  PathUuid,
  type Static,
  Type,
  Uuid,
} from '../schema.ts';
import { ACCESS_TYPES } from './content.ts';
import { User } from './users.ts';

const ALL_BUT_LDAP = ['password', 'pam', 'oauth2', 'saml', 'proxied'] as const;

export const Group = Closed({ guid: Uuid, name: Type.String(), owner_guid: Nullable(Uuid) });
export type Group = Static<typeof Group>;

export const GroupWithTicket = Closed({
  guid: Nullable(Uuid),
  name: Type.String(),
  temp_ticket: Type.String(),
});
export type GroupWithTicket = Static<typeof GroupWithTicket>;

const GroupName = Type.String({
  pattern: '^[A-Za-z0-9]{3,64}$',
  'x-form': '3 to 64 letters and digits',
  'x-error': 14,
});
const byGuid = Type.Object({ guid: PathUuid });

export const getGroups = endpoint({
  operationId: 'getGroups',
  group: 'groups',
  summary: 'List groups by name, or the ones nearest to a prefix',
  method: 'GET',
  path: '/v1/groups',
  query: Type.Object({
    prefix: Type.Optional(Type.String()),
    ...OffsetQuery,
    asc_order: Defaulted(Type.Boolean(), true),
  }),
  status: 200,
  response: PageOf(Group),
  errors: [400, 401],
  access: 'user',
  paging: 'offset',
  origin: 'contract',
});

export const createRemoteGroup = endpoint({
  operationId: 'createRemoteGroup',
  visitorKey: false,
  group: 'groups',
  summary: 'Create a group from a ticket of searchRemoteGroups',
  method: 'PUT',
  path: '/v1/groups',
  body: Type.Object({ temp_ticket: Type.String({ 'x-error': 127 }) }),
  status: 200,
  response: Group,
  errors: [400, 401, 403, 404, 409],
  access: 'publisher',
  providers: { only: ['ldap'], otherwise: 119 },
  origin: 'contract',
});

export const createGroup = endpoint({
  operationId: 'createGroup',
  visitorKey: false,
  group: 'groups',
  summary: 'Create a group',
  method: 'POST',
  path: '/v1/groups',
  body: Type.Object({ name: GroupName }),
  status: 200,
  response: Group,
  errors: [400, 401, 403, 404, 409],
  access: 'publisher',
  providers: { only: ALL_BUT_LDAP, otherwise: 120 },
  origin: 'contract',
});

export const searchRemoteGroups = endpoint({
  operationId: 'searchRemoteGroups',
  group: 'groups',
  summary: 'Search the server and the directory for groups',
  method: 'GET',
  path: '/v1/groups/remote',
  query: Type.Object({ prefix: Type.String(), limit: Limit }),
  status: 200,
  response: PageOf(GroupWithTicket),
  errors: [400, 401, 403, 404],
  access: 'publisher',
  providers: { only: ['ldap'], otherwise: 132 },
  origin: 'contract',
});

export const getGroupMembers = endpoint({
  operationId: 'getGroupMembers',
  group: 'groups',
  summary: 'List the members of a group',
  method: 'GET',
  path: '/v1/groups/{group_guid}/members',
  params: Type.Object({ group_guid: PathUuid }),
  query: Type.Object(OptionalPaging),
  status: 200,
  response: PageOf(User),
  errors: [400, 401, 404],
  access: 'user',
  providers: { only: ALL_BUT_LDAP, otherwise: 132 },
  origin: 'contract',
});

export const addGroupMember = endpoint({
  operationId: 'addGroupMember',
  visitorKey: false,
  group: 'groups',
  summary: 'Add a user to a group',
  method: 'POST',
  path: '/v1/groups/{group_guid}/members',
  params: Type.Object({ group_guid: PathUuid }),
  body: Type.Object({ user_guid: Type.String({ format: 'uuid', 'x-error': 3 }) }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404, 409],
  access: 'user',
  providers: { only: ALL_BUT_LDAP, otherwise: 132 },
  origin: 'contract',
});

export const removeGroupMember = endpoint({
  operationId: 'removeGroupMember',
  visitorKey: false,
  group: 'groups',
  summary: 'Remove a user from a group',
  method: 'DELETE',
  path: '/v1/groups/{group_guid}/members/{user_guid}',
  params: Type.Object({ group_guid: PathUuid, user_guid: PathUuid }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
  providers: { only: ALL_BUT_LDAP, otherwise: 132 },
  origin: 'contract',
});

export const getGroup = endpoint({
  operationId: 'getGroup',
  group: 'groups',
  summary: 'Read one group',
  method: 'GET',
  path: '/v1/groups/{guid}',
  params: byGuid,
  status: 200,
  response: Group,
  errors: [400, 401, 404],
  access: 'user',
  origin: 'contract',
});

export const deleteGroup = endpoint({
  operationId: 'deleteGroup',
  visitorKey: false,
  group: 'groups',
  summary: 'Delete a group',
  method: 'DELETE',
  path: '/v1/groups/{guid}',
  params: byGuid,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'contract',
});

export const GroupContent = Closed({
  content_guid: Uuid,
  content_name: Type.String(),
  content_title: Nullable(Type.String()),
  access_type: OneOf(ACCESS_TYPES),
  permissions: Type.Array(
    Closed({
      principal_guid: Uuid,
      principal_name: Type.String(),
      principal_role: OneOf(['author', 'publisher', 'viewer'], {
        description: 'The owner, a collaborator or a viewer',
      }),
      principal_type: OneOf(['user', 'group']),
    }),
    { description: 'The owner first' },
  ),
});
export type GroupContent = Static<typeof GroupContent>;

export const getGroupContent = endpoint({
  operationId: 'getGroupContent',
  group: 'groups',
  summary:
    'List the content that a group has a permission for, as far as the caller may read its permissions',
  method: 'GET',
  path: '/v1/experimental/groups/{guid}/content',
  params: byGuid,
  status: 200,
  response: Type.Array(GroupContent),
  errors: [400, 401, 404],
  access: 'user',
  origin: 'addition',
});
