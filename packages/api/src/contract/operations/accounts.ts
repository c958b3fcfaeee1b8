// Account security, not in the contract: password, sessions, second factors.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, PathUuid, Type, Uuid, type Static } from '../schema.ts';

const byGuid = Type.Object({ guid: PathUuid });
const password = Type.String({ maxLength: 1024, 'x-error': 6 });

export const Session = Closed({
  id: Type.String(),
  user_guid: Uuid,
  created_time: DateTime,
  active_time: DateTime,
  expires_time: DateTime,
  address: Type.String({ description: 'Where it was begun' }),
  agent: Type.String({ description: 'The program it was begun with, as it calls itself' }),
  current: Type.Boolean({ description: 'Whether the call was made in it' }),
});
export type Session = Static<typeof Session>;

export const PasswordLink = Closed({
  url: Type.String({ description: 'The page behind it sets a password, once; shown this once' }),
  expires_time: DateTime,
});
export type PasswordLink = Static<typeof PasswordLink>;

export const changePassword = endpoint({
  operationId: 'changePassword',
  visitorKey: false,
  group: 'users',
  summary: 'Change one’s own password, in a session: all other sessions end',
  method: 'POST',
  path: '/v1/user/password',
  body: Type.Object({ current_password: Type.String({ maxLength: 1024, 'x-error': 96 }), password }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403],
  access: 'user',
  origin: 'addition',
});

export const createPasswordLink = endpoint({
  operationId: 'createPasswordLink',
  group: 'users',
  summary: 'Make a link with which a user sets a password, once',
  method: 'POST',
  path: '/v1/users/{guid}/password_link',
  params: byGuid,
  status: 200,
  response: PasswordLink,
  errors: [400, 401, 403, 404],
  access: 'administrator',
  origin: 'addition',
});

export const requestPasswordReset = endpoint({
  operationId: 'requestPasswordReset',
  group: 'users',
  summary:
    'Have a link to set a password mailed to an account; the response is the same whether there is one or not',
  method: 'POST',
  path: '/v1/password_reset',
  body: Type.Object({ username: Type.String({ maxLength: 255 }) }),
  status: 204,
  response: 'empty',
  errors: [400, 403],
  access: 'anyone',
  origin: 'addition',
});

export const resetPassword = endpoint({
  operationId: 'resetPassword',
  group: 'users',
  summary: 'Set a password with the token of a link: all sessions of the account end',
  method: 'PUT',
  path: '/v1/password_reset',
  body: Type.Object({ token: Type.String({ maxLength: 255, 'x-error': 101 }), password }),
  status: 204,
  response: 'empty',
  errors: [400, 403],
  access: 'anyone',
  origin: 'addition',
});

export const getSessions = endpoint({
  operationId: 'getSessions',
  visitorKey: false,
  group: 'users',
  summary: 'List the sessions of a user: one’s own, or anyone’s for an administrator',
  method: 'GET',
  path: '/v1/users/{guid}/sessions',
  params: byGuid,
  status: 200,
  response: Type.Array(Session),
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
});

export const endSession = endpoint({
  operationId: 'endSession',
  visitorKey: false,
  group: 'users',
  summary: 'End a session of a user',
  method: 'DELETE',
  path: '/v1/users/{guid}/sessions/{id}',
  params: Type.Object({
    guid: PathUuid,
    id: Type.String({ pattern: '^[0-9a-f]{1,64}$', 'x-form': '1 to 64 hexadecimal digits', 'x-error': 3 }),
  }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
});

export const removeSecondFactors = endpoint({
  operationId: 'removeSecondFactors',
  group: 'users',
  summary: 'Remove all second factors and passkeys of a user who lost them; all sessions of the account end',
  method: 'DELETE',
  path: '/v1/users/{guid}/second_factors',
  params: byGuid,
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'administrator',
  origin: 'addition',
});
