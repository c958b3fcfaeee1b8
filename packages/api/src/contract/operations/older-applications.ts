// Operations around an application for older clients: permissions, variables, processes, Unix account.
import { endpoint } from '../endpoint.ts';
import { Closed, Nullable, OneOf, PathUuid, Type, Uuid, type Static } from '../schema.ts';
import { Application } from './applications.ts';

const params = Type.Object({ guid: PathUuid });
const base = {
  group: 'applications',
  params,
  status: 200,
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
} as const;
const role = OneOf(['owner', 'viewer'], { description: '`owner` is a collaborator', 'x-error': 25 });
const body = Type.Object({
  guid: Type.String({ format: 'uuid', 'x-error': 3 }),
  app_role: role,
});

export const ApplicationUser = Closed({
  guid: Uuid,
  username: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  user_role: Type.String(),
  app_role: role,
});
export type ApplicationUser = Static<typeof ApplicationUser>;

export const ApplicationGroup = Closed({ guid: Uuid, name: Type.String(), app_role: role });
export type ApplicationGroup = Static<typeof ApplicationGroup>;

export const getApplicationUsers = endpoint({
  ...base,
  operationId: 'getApplicationUsers',
  summary: 'List the users who are collaborators or viewers of a content item',
  method: 'GET',
  path: '/applications/{guid}/users',
  response: Type.Array(ApplicationUser),
});

export const addApplicationUser = endpoint({
  ...base,
  operationId: 'addApplicationUser',
  visitorKey: false,
  summary: 'Make a user a collaborator or viewer, whatever they were before',
  method: 'POST',
  path: '/applications/{guid}/users',
  body,
  status: 204,
  response: 'empty',
});

export const removeApplicationUser = endpoint({
  ...base,
  operationId: 'removeApplicationUser',
  visitorKey: false,
  summary: 'Take the permission of a user away',
  method: 'DELETE',
  path: '/applications/{guid}/users/{user_guid}',
  params: Type.Object({ guid: PathUuid, user_guid: PathUuid }),
  status: 204,
  response: 'empty',
});

export const getApplicationGroups = endpoint({
  ...base,
  operationId: 'getApplicationGroups',
  summary: 'List the groups that are collaborators or viewers of a content item',
  method: 'GET',
  path: '/applications/{guid}/groups',
  response: Type.Array(ApplicationGroup),
});

export const addApplicationGroup = endpoint({
  ...base,
  operationId: 'addApplicationGroup',
  visitorKey: false,
  summary: 'Make a group a collaborator or viewer, whatever it was before',
  method: 'POST',
  path: '/applications/{guid}/groups',
  body,
  status: 204,
  response: 'empty',
});

export const removeApplicationGroup = endpoint({
  ...base,
  operationId: 'removeApplicationGroup',
  visitorKey: false,
  summary: 'Take the permission of a group away',
  method: 'DELETE',
  path: '/applications/{guid}/groups/{group_guid}',
  params: Type.Object({ guid: PathUuid, group_guid: PathUuid }),
  status: 204,
  response: 'empty',
});

const version = Type.Integer({ description: 'Another one as soon as a variable changes' });
const ApplicationEnvironment = Closed({
  app_guid: Uuid,
  version,
  values: Type.Record(Type.String(), Type.Null(), {
    description: 'The names; values never leave the server',
  }),
});

export const getApplicationEnvironment = endpoint({
  ...base,
  operationId: 'getApplicationEnvironment',
  summary: 'List the names of the environment variables of a content item, for older clients',
  method: 'GET',
  path: '/applications/{guid}/environment',
  response: ApplicationEnvironment,
});

export const setApplicationEnvironment = endpoint({
  ...base,
  errors: [400, 401, 403, 404, 409],
  operationId: 'setApplicationEnvironment',
  summary: 'Replace all environment variables; null keeps a value, what is not listed is removed',
  method: 'POST',
  path: '/applications/{guid}/environment',
  body: Type.Object({
    values: Type.Unsafe<Record<string, string | null>>({
      type: 'object',
      maxProperties: 1000,
      patternProperties: {
        '^': {
          type: ['string', 'null'],
          maxLength: 65536,
          pattern: '^[^\\u0000]*$',
          'x-form': 'at most 65536 characters, without the null character',
          'x-error': 25,
        },
      },
      'x-error': 25,
    }),
    version: Type.Optional(Nullable(version)),
  }),
  response: ApplicationEnvironment,
});

const seconds = { description: 'Seconds since 1970' };
export const ApplicationJob = Closed({
  id: Type.String(),
  key: Type.String(),
  pid: Nullable(Type.Integer()),
  app_id: Uuid,
  app_guid: Uuid,
  bundle_id: Type.Integer(),
  tag: Type.String(),
  start_time: Type.Integer(seconds),
  end_time: Nullable(Type.Integer(seconds)),
  exit_code: Nullable(Type.Integer()),
  finalized: Type.Boolean(),
});
export type ApplicationJob = Static<typeof ApplicationJob>;

export const getApplicationJobs = endpoint({
  ...base,
  operationId: 'getApplicationJobs',
  summary: 'List the processes and renderings of a content item, the newest first, for older clients',
  method: 'GET',
  path: '/applications/{guid}/jobs',
  response: Type.Array(ApplicationJob),
});

export const terminateApplication = endpoint({
  ...base,
  operationId: 'terminateApplication',
  summary: 'Stop the processes of a content item on this server; they start again for the next visitor',
  method: 'POST',
  path: '/applications/{guid}/terminate',
  response: Closed({ id: Type.String({ description: 'Of the task' }), task_id: Type.String() }),
});

export const setApplicationRunAs = endpoint({
  ...base,
  operationId: 'setApplicationRunAs',
  visitorKey: false,
  summary: 'Choose the Unix account that a content item runs as; error 54 for that of the visitor',
  method: 'POST',
  path: '/applications/{guid}/runas',
  body: Type.Object({
    run_as: Type.Optional(Nullable(Type.String({ maxLength: 256, 'x-error': 57 }))),
    run_as_current_user: Type.Optional(
      Type.Unsafe<false | null>({
        enum: [false, null],
        'x-form': 'false, because content does not run as its visitor',
        'x-error': 54,
        description: 'true is refused',
      }),
    ),
  }),
  response: Application,
  access: 'publisher',
});
