// Operations that publishing clients expect, not in the contract: permissions, vanity paths and environment variables.
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  DateTime,
  Nullable,
  NumericId,
  OneOf,
  PathUuid,
  StoredTime,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';

const params = Type.Object({ guid: PathUuid });
const base = { group: 'permissions', access: 'user', origin: 'addition' } as const;

export const Permission = Closed({
  id: Type.String(),
  content_guid: Uuid,
  principal_guid: Uuid,
  principal_type: OneOf(['user', 'group']),
  role: OneOf(['owner', 'viewer']),
  expires_time: Type.Optional(
    Type.String({ format: 'date-time', description: 'When it ends; absent: it does not' }),
  ),
});
export type Permission = Static<typeof Permission>;

const ofPermission = Type.Object({
  guid: PathUuid,
  id: NumericId,
});
const grantedRole = OneOf(['owner', 'viewer'], {
  description: '`owner` makes a collaborator',
  'x-error': 25,
});

const expiresTime = Type.Optional(Nullable(StoredTime('When it ends, in the future; null: it does not')));

export const getPermissions = endpoint({
  ...base,
  operationId: 'getPermissions',
  contentKey: 'own',
  summary: 'List the collaborators and viewers of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/permissions',
  params,
  status: 200,
  response: Type.Array(Permission),
  errors: [400, 401, 403, 404],
});

export const addPermission = endpoint({
  ...base,
  operationId: 'addPermission',
  visitorKey: false,
  summary: 'Make a user or group a collaborator or viewer',
  method: 'POST',
  path: '/v1/content/{guid}/permissions',
  params,
  body: Type.Object({
    principal_guid: Type.String({ format: 'uuid', 'x-error': 3 }),
    principal_type: OneOf(['user', 'group'], { 'x-error': 25 }),
    role: grantedRole,
    expires_time: expiresTime,
  }),
  status: 200,
  response: Permission,
  errors: [400, 401, 403, 404, 409],
});

export const getPermission = endpoint({
  ...base,
  operationId: 'getPermission',
  contentKey: 'own',
  summary: 'Read one permission',
  method: 'GET',
  path: '/v1/content/{guid}/permissions/{id}',
  params: ofPermission,
  status: 200,
  response: Permission,
  errors: [400, 401, 403, 404],
});

export const updatePermission = endpoint({
  ...base,
  operationId: 'updatePermission',
  visitorKey: false,
  summary: 'Change the role of a permission, or when it ends',
  method: 'PUT',
  path: '/v1/content/{guid}/permissions/{id}',
  params: ofPermission,
  body: Type.Object({ role: grantedRole, expires_time: expiresTime }),
  status: 200,
  response: Permission,
  errors: [400, 401, 403, 404],
});

export const deletePermission = endpoint({
  ...base,
  operationId: 'deletePermission',
  visitorKey: false,
  summary: 'Take a permission away',
  method: 'DELETE',
  path: '/v1/content/{guid}/permissions/{id}',
  params: ofPermission,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
});

export const transferContent = endpoint({
  ...base,
  operationId: 'transferContent',
  visitorKey: false,
  summary:
    'Hand a content item over to another owner, a publisher; for its owner and administrators. `keep` is what the owner before may do from then on',
  method: 'PUT',
  path: '/v1/content/{guid}/owner',
  params,
  body: Type.Object({
    owner_guid: Type.String({ format: 'uuid', 'x-error': 3 }),
    keep: Type.Optional(
      Nullable(
        OneOf(['owner', 'viewer'], { description: '`owner`: collaborator; null: nothing', 'x-error': 25 }),
      ),
    ),
  }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404, 409],
});

export const Vanity = Closed({ content_guid: Uuid, path: Type.String(), created_time: DateTime });

export const getVanity = endpoint({
  ...base,
  operationId: 'getVanity',
  forViewers: true,
  contentKey: 'own',
  summary: 'Read the vanity path of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/vanity',
  params,
  status: 200,
  response: Vanity,
  errors: [400, 401, 403, 404],
});

export const setVanity = endpoint({
  ...base,
  operationId: 'setVanity',
  summary: 'Give a content item a vanity path; `force` takes it from another',
  method: 'PUT',
  path: '/v1/content/{guid}/vanity',
  params,
  body: Type.Object({
    path: Type.String({ maxLength: 255, 'x-error': 52 }),
    force: Type.Optional(Nullable(Type.Boolean())),
  }),
  status: 200,
  response: Vanity,
  errors: [400, 401, 403, 404, 409],
});

export const deleteVanity = endpoint({
  ...base,
  operationId: 'deleteVanity',
  summary: 'Take the vanity path of a content item away',
  method: 'DELETE',
  path: '/v1/content/{guid}/vanity',
  params,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
});

export const listVanities = endpoint({
  ...base,
  operationId: 'listVanities',
  summary: 'List the vanity paths of all content, by path',
  method: 'GET',
  path: '/v1/vanities',
  status: 200,
  response: Type.Array(Vanity),
  errors: [401, 403],
  access: 'administrator',
});

const Variables = Type.Array(
  Type.Object({
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[^=\\u0000]+$',
      'x-form': '1 to 255 characters, without "=" or the null character',
      'x-error': 25,
    }),
    value: Nullable(
      Type.String({
        maxLength: 65536,
        pattern: '^[^\\u0000]*$',
        'x-form': 'at most 65536 characters, without the null character',
        'x-error': 25,
      }),
    ),
  }),
  { maxItems: 1000, 'x-error': 25 },
);

export const getEnvironment = endpoint({
  ...base,
  operationId: 'getEnvironment',
  contentKey: 'own',
  summary: 'List the names of the environment variables of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/environment',
  params,
  status: 200,
  response: Type.Array(Type.String()),
  errors: [400, 401, 403, 404],
});

export const updateEnvironment = endpoint({
  ...base,
  operationId: 'updateEnvironment',
  contentKey: 'own',
  summary: 'Set environment variables; a null value removes one, the others stay',
  method: 'PATCH',
  path: '/v1/content/{guid}/environment',
  params,
  body: Variables,
  status: 200,
  response: Type.Array(Type.String()),
  errors: [400, 401, 403, 404, 409],
});

export const setEnvironment = endpoint({
  ...base,
  operationId: 'setEnvironment',
  summary: 'Replace all environment variables; those that are not listed, or null, are removed',
  method: 'PUT',
  path: '/v1/content/{guid}/environment',
  params,
  body: Variables,
  status: 200,
  response: Type.Array(Type.String()),
  errors: [400, 401, 403, 404, 409],
});
