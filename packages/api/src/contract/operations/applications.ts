// Publishing operations without a version in the path, used by rsconnect for R and older releases of rsconnect-python.
// Beside the contract; an application is a content item, and its id is the GUID.
import { endpoint } from '../endpoint.ts';
import {
  ArchiveHeaders,
  Closed,
  DateTime,
  Defaulted,
  Nullable,
  OneOf,
  PathUuid,
  TaskId,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';
import { Bundle } from './bundles.ts';
import { ACCESS_TYPES, ContentChangesGa, draftFields, NewContentGa } from './content.ts';
import { User } from './users.ts';

/** Maximum per page. */
export const MAX_APPLICATIONS = 10_000;

export const Application = Closed({
  id: Uuid,
  guid: Uuid,
  name: Type.String(),
  title: Nullable(Type.String()),
  description: Type.String(),
  url: Type.String(),
  access_type: OneOf(ACCESS_TYPES),
  app_mode: Type.Integer({
    minimum: 0,
    maximum: 99,
    description: 'The number of its kind; 0 if it has none',
  }),
  content_category: Type.String(),
  bundle_id: Nullable(Type.String()),
  build_status: OneOf(['deployed', 'not deployed']),
  created_time: DateTime,
  last_deployed_time: DateTime,
  owner_guid: Uuid,
  owner_username: Type.String(),
});
export type Application = Static<typeof Application>;

const UUID = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
/** `KEY:VALUE`: of several filters with one key, the last counts. */
const FILTER = [
  `account_id:${UUID}`,
  'name:[^:]*',
  'owner_username:[^:]*',
  'content_type:(all|[a-z][a-z-]{0,63})',
  'min_role:(viewer|editor|owner)',
].join('|');
/** A number, its digits, or nothing, which R writes as an empty array. */
const BundleChoice = Type.Unsafe<number | string | null | []>({
  anyOf: [
    { type: 'integer', minimum: 1, maximum: 10 ** 15 - 1 },
    { type: 'string', pattern: '^[0-9]{1,15}$' },
    { type: 'null' },
    { const: [] },
  ],
  'x-form': 'a number of 1 to 15 digits',
  'x-error': 3,
});
const params = Type.Object({ guid: PathUuid });
const base = { group: 'applications', origin: 'addition' } as const;

const Publisher = Closed({ id: Uuid, ...User.properties });

export const getPublisher = endpoint({
  ...base,
  operationId: 'getPublisher',
  summary: 'Who am I; `id` is the guid',
  method: 'GET',
  path: '/users/current',
  status: 200,
  response: Publisher,
  errors: [401],
  access: 'user',
});

export const getMe = endpoint({
  ...base,
  operationId: 'getMe',
  summary: 'Who am I; `id` is the guid',
  method: 'GET',
  path: '/me',
  status: 200,
  response: Publisher,
  errors: [401],
  access: 'user',
});

export const listApplications = endpoint({
  ...base,
  operationId: 'listApplications',
  summary: 'List the content items the caller may see, a page at a time, the oldest first',
  method: 'GET',
  path: '/applications',
  query: Type.Object({
    filter: Type.Optional(
      Type.Array(
        Type.String({
          pattern: `^(${FILTER})$`,
          'x-form':
            'account_id:GUID, name:NAME, owner_username:NAME, content_type:TYPE or min_role:ROLE (viewer, editor, owner)',
          'x-error': 32,
        }),
        {
          maxItems: 10,
          'x-error': 32,
          description:
            '`account_id:GUID` or `owner_username:NAME` of the owner, `name:NAME`, `content_type:TYPE` (a category such as ' +
            '`pin`, an app_mode, or `all`), `min_role:ROLE` of the caller; the last of each counts',
        },
      ),
    ),
    search: Type.Optional(
      Type.String({ description: 'Part of the name, the title or the description, in any case' }),
    ),
    count: Defaulted(
      Type.Integer({
        minimum: 1,
        'x-error': 13,
        description: `Of a page; of more than ${MAX_APPLICATIONS}, ${MAX_APPLICATIONS} are returned`,
      }),
      100,
    ),
    start: Type.Optional(
      Type.Integer({ minimum: 0, 'x-error': 13, description: 'The first one of the page, from 1; 0 is 1' }),
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, 'x-error': 13, description: 'The same from 0; not with `start`' }),
    ),
    cont: Type.Optional(
      Type.String({ description: 'The `continuation` of the page before: `start` then says nothing' }),
    ),
  }),
  status: 200,
  response: Closed({
    applications: Type.Array(Application),
    count: Type.Integer({ description: 'Of this page' }),
    total: Type.Integer({ description: 'Of all pages' }),
    continuation: Type.String({ description: 'The `cont` of the next page; empty where this one is' }),
  }),
  errors: [400, 401],
  access: 'user',
});

export const createApplication = endpoint({
  ...base,
  operationId: 'createApplication',
  summary: 'Create a content item, for older clients',
  method: 'POST',
  path: '/applications',
  body: NewContentGa,
  status: 200,
  response: Application,
  errors: [400, 401, 403, 409],
  access: 'publisher',
});

export const getApplication = endpoint({
  ...base,
  operationId: 'getApplication',
  summary: 'Read one content item, for older clients',
  method: 'GET',
  path: '/applications/{guid}',
  params,
  status: 200,
  response: Application,
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const updateApplication = endpoint({
  ...base,
  operationId: 'updateApplication',
  summary: 'Change a content item, for older clients',
  method: 'POST',
  path: '/applications/{guid}',
  params,
  body: ContentChangesGa,
  status: 200,
  response: Application,
  errors: [400, 401, 403, 404, 409],
  access: 'publisher',
});

export const getApplicationConfig = endpoint({
  ...base,
  operationId: 'getApplicationConfig',
  summary: 'Where a person looks at a content item and its logs',
  method: 'GET',
  path: '/applications/{guid}/config',
  params,
  status: 200,
  response: Closed({ config_url: Type.String(), logs_url: Type.String() }),
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const uploadApplication = endpoint({
  ...base,
  operationId: 'uploadApplication',
  summary: 'Upload a bundle, for older clients',
  method: 'POST',
  path: '/applications/{guid}/upload',
  params,
  headers: ArchiveHeaders,
  body: 'archive',
  status: 200,
  response: Bundle,
  errors: [400, 401, 403, 404],
  access: 'publisher',
});

export const deployApplication = endpoint({
  ...base,
  operationId: 'deployApplication',
  summary: 'Start the deploy of a bundle, for older clients',
  method: 'POST',
  path: '/applications/{guid}/deploy',
  params,
  body: Type.Object({ bundle: Type.Optional(BundleChoice), ...draftFields }),
  bodyOptional: true,
  status: 200,
  // deployApp reads one of them, restartApp the other.
  response: Closed({ id: Type.String({ description: 'Of the task' }), task_id: Type.String() }),
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const getApplicationTask = endpoint({
  ...base,
  operationId: 'getApplicationTask',
  group: 'tasks',
  kept: false,
  summary: 'Read a task and its output, for older clients',
  method: 'GET',
  path: '/tasks/{id}',
  params: Type.Object({ id: TaskId }),
  query: Type.Object({
    first_status: Defaulted(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, 'x-error': 13 }), 0),
  }),
  status: 200,
  response: Closed({
    id: Type.String(),
    status: Type.Array(Type.String(), { description: 'Lines from `first_status` on' }),
    last_status: Type.Integer({ description: 'The `first_status` of the next request' }),
    finished: Type.Boolean(),
    code: Type.Integer({ description: 'Not zero when the work failed' }),
    error: Type.String({ description: 'Empty when nothing failed' }),
  }),
  errors: [400, 401, 403, 404],
  access: 'user',
});
