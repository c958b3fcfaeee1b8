// Users (contract, 4.8), the current user, and API keys.
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  DateTime,
  Defaulted,
  Limit,
  Nullable,
  NumericId,
  OffsetQuery,
  OneOf,
  PageOf,
  PathUuid,
  StoredTime,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';

export const ROLES = ['administrator', 'publisher', 'viewer'] as const;
const UserRole = OneOf(ROLES);
/** In requests: an unknown role is error 112. */
const RequestedRole = OneOf(ROLES, { 'x-error': 112 });

const userFields = {
  email: Type.String({ description: 'Empty when hidden from the caller' }),
  username: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  user_role: UserRole,
  created_time: DateTime,
  updated_time: DateTime,
  active_time: Nullable(DateTime),
  confirmed: Type.Boolean(),
  locked: Type.Boolean(),
};

export const User = Closed({ ...userFields, guid: Uuid });
export type User = Static<typeof User>;

export const UserWithTicket = Closed({ ...userFields, guid: Nullable(Uuid), temp_ticket: Type.String() });
export type UserWithTicket = Static<typeof UserWithTicket>;

export const EditableUser = Closed({
  email: Type.String(),
  username: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  user_role: UserRole,
  updated_time: DateTime,
});
export type EditableUser = Static<typeof EditableUser>;

const email = Type.String({ format: 'email', maxLength: 254 });
/** A blank address has its own error (128), which depends on the provider. */
const emailOrBlank = Type.Unsafe<string>({
  anyOf: [email, { const: '' }],
  'x-form': 'an e-mail address of at most 254 characters',
  description:
    'An e-mail address of at most 254 characters; empty is error 128 under password authentication',
  'x-error': 25,
});
const personName = Type.String({ maxLength: 255, 'x-error': 25 });
const username = Type.String({ maxLength: 255, 'x-error': 7 });
const byGuid = Type.Object({ guid: PathUuid });

export const getUsers = endpoint({
  operationId: 'getUsers',
  group: 'users',
  summary: 'List users, or the ones nearest to a prefix',
  method: 'GET',
  path: '/v1/users',
  query: Type.Object({
    prefix: Type.Optional(Type.String()),
    user_role: Type.Optional(
      Type.Array(Type.String(), { description: 'Roles joined with `|` are ORed, repetitions ANDed' }),
    ),
    account_status: Type.Optional(
      Type.Array(Type.String(), {
        description: '`locked`, `licensed`, `inactive`; `|` is OR, repetition AND; administrators only',
      }),
    ),
    ...OffsetQuery,
    asc_order: Defaulted(Type.Boolean(), true),
    walk_pages: Type.Optional(
      Type.Boolean({
        description: 'Sent by pins for Python, which reads pages until one is empty: a search has pages, too',
      }),
    ),
  }),
  status: 200,
  response: PageOf(User),
  errors: [400, 401, 403, 404],
  access: 'user',
  paging: 'offset',
  origin: 'contract',
});

export const createPullUser = endpoint({
  operationId: 'createPullUser',
  visitorKey: false,
  group: 'users',
  summary: 'Create a user from a ticket of searchRemoteUsers',
  method: 'PUT',
  path: '/v1/users',
  body: Type.Object({ temp_ticket: Type.String({ 'x-error': 127 }) }),
  status: 200,
  response: User,
  errors: [400, 401, 403, 404, 409],
  access: 'publisher',
  providers: { only: ['ldap', 'oauth2'], otherwise: 119 },
  origin: 'contract',
});

export const createPushUser = endpoint({
  operationId: 'createPushUser',
  group: 'users',
  summary: 'Create a user; the first one under password authentication needs no key',
  method: 'POST',
  path: '/v1/users',
  body: Type.Object({
    username,
    email: Type.Optional(emailOrBlank),
    first_name: Type.Optional(personName),
    last_name: Type.Optional(personName),
    password: Type.Optional(Type.String({ maxLength: 1024, 'x-error': 6 })),
    user_must_set_password: Type.Optional(Type.Boolean()),
    user_role: Type.Optional(Nullable(RequestedRole)),
    /** Indexed: an entry of PostgreSQL's has at most 2700 bytes. */
    unique_id: Type.Optional(Type.String({ maxLength: 512, 'x-error': 25 })),
  }),
  status: 200,
  response: User,
  errors: [400, 401, 403, 404, 409],
  access: 'first-user',
  providers: { only: ['saml', 'password', 'pam', 'proxied'], otherwise: 120 },
  origin: 'contract',
});

export const searchRemoteUsers = endpoint({
  operationId: 'searchRemoteUsers',
  group: 'users',
  summary: 'Search the server and the directory for people',
  method: 'GET',
  path: '/v1/users/remote',
  query: Type.Object({ prefix: Type.String(), limit: Limit }),
  status: 200,
  response: PageOf(UserWithTicket),
  errors: [400, 401, 403, 404],
  access: 'publisher',
  providers: { only: ['ldap', 'oauth2'], otherwise: 132 },
  origin: 'contract',
});

export const getUser = endpoint({
  operationId: 'getUser',
  group: 'users',
  summary: 'Read one user',
  method: 'GET',
  path: '/v1/users/{guid}',
  params: byGuid,
  status: 200,
  response: User,
  errors: [400, 401, 404],
  access: 'user',
  origin: 'contract',
});

export const updateUser = endpoint({
  operationId: 'updateUser',
  visitorKey: false,
  group: 'users',
  summary: 'Change a user',
  method: 'PUT',
  path: '/v1/users/{guid}',
  params: byGuid,
  body: Type.Object({
    email: Type.Optional(emailOrBlank),
    first_name: Type.Optional(personName),
    last_name: Type.Optional(personName),
    user_role: Type.Optional(RequestedRole),
    username: Type.Optional(username),
  }),
  status: 200,
  response: EditableUser,
  errors: [400, 401, 403, 404, 409],
  access: 'user',
  origin: 'contract',
});

export const lockUser = endpoint({
  operationId: 'lockUser',
  group: 'users',
  summary: 'Lock or unlock a user',
  method: 'POST',
  path: '/v1/users/{guid}/lock',
  params: byGuid,
  body: Type.Object({ locked: Type.Boolean() }),
  status: 200,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'administrator',
  origin: 'contract',
});

export const getCurrentUser = endpoint({
  operationId: 'getCurrentUser',
  contentKey: 'both',
  group: 'users',
  summary: 'Who am I',
  method: 'GET',
  path: '/v1/user',
  status: 200,
  response: User,
  errors: [401],
  access: 'user',
  origin: 'addition',
});

export const ApiKey = Closed({
  id: Type.String(),
  user_guid: Uuid,
  name: Type.String(),
  created_time: DateTime,
  last_used_time: Nullable(DateTime),
  role: Nullable(
    OneOf(ROLES, { description: 'The most that calls with it may do; null: what its owner may' }),
  ),
  expires_time: Nullable(DateTime),
});
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Closed({
  ...ApiKey.properties,
  key: Type.String({ description: 'Shown this once' }),
});
export type NewApiKey = Static<typeof NewApiKey>;

const keyBody = Type.Object({
  name: Type.String({ maxLength: 255, 'x-error': 62 }),
  role: Type.Optional(Nullable(RequestedRole)),
  expires_time: Type.Optional(Nullable(StoredTime('When it ends; null: never'))),
});
const keyPath = Type.Object({ guid: PathUuid, id: NumericId });

export const createOwnApiKey = endpoint({
  operationId: 'createOwnApiKey',
  visitorKey: false,
  group: 'users',
  summary: 'Create an API key for oneself',
  method: 'POST',
  path: '/keys',
  body: keyBody,
  status: 200,
  response: NewApiKey,
  errors: [400, 401, 403],
  access: 'user',
  origin: 'addition',
});

export const createApiKey = endpoint({
  operationId: 'createApiKey',
  visitorKey: false,
  group: 'users',
  summary: 'Create an API key for a user: oneself, or anyone for an administrator',
  method: 'POST',
  path: '/v1/users/{guid}/keys',
  params: byGuid,
  body: keyBody,
  status: 200,
  response: NewApiKey,
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
});

export const getApiKeys = endpoint({
  operationId: 'getApiKeys',
  visitorKey: false,
  group: 'users',
  summary: 'List the API keys of a user, without the keys themselves',
  method: 'GET',
  path: '/v1/users/{guid}/keys',
  params: byGuid,
  status: 200,
  response: Type.Array(ApiKey),
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
});

export const deleteApiKey = endpoint({
  operationId: 'deleteApiKey',
  visitorKey: false,
  group: 'users',
  summary: 'Revoke an API key',
  method: 'DELETE',
  path: '/v1/users/{guid}/keys/{id}',
  params: keyPath,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
});
