// The server's R (contract, 4.6) and Python installations, and its public settings.
import { endpoint } from '../endpoint.ts';
import { Closed, Nullable, OneOf, Type, type Static } from '../schema.ts';
import { ACCESS_TYPES } from './content.ts';

export const RInstallations = Closed({
  installations: Type.Array(Closed({ version: Type.String() })),
});
export type RInstallations = Static<typeof RInstallations>;

export const PythonInstallations = Closed({
  installations: Type.Array(
    Closed({
      version: Type.String(),
      cluster_name: Type.String(),
      image_name: Type.String(),
      publishable: Type.Boolean({ description: 'Whether new content can use it: always' }),
    }),
  ),
  api_enabled: Type.Boolean(),
});

export const ServerSettings = Type.Object({
  version: Type.String({
    description: 'Of the API, by which clients know what they can ask for: the setting API.Version',
  }),
  server_version: Type.Optional(Type.String({ description: 'Of Pressroom' })),
  hostname: Type.String(),
  authentication: Type.Object({ name: Type.String() }),
  license: Type.Optional(
    Type.Record(Type.String(), Type.Boolean(), {
      description: 'What the server can do, under the names that clients look for',
    }),
  ),
  task_cancel: Type.Optional(Type.Boolean({ description: 'Whether cancelTask is there' })),
  device_sign_in: Type.Optional(Type.Boolean({ description: 'Whether beginDeviceSignIn is there' })),
});
export type ServerSettings = Static<typeof ServerSettings>;

export const getRInformation = endpoint({
  operationId: 'getRInformation',
  contentKey: 'both',
  group: 'server-settings',
  summary: 'List the R installations of the server',
  method: 'GET',
  path: '/v1/server_settings/r',
  status: 200,
  response: RInstallations,
  errors: [401, 403],
  access: 'publisher',
  origin: 'contract',
});

export const getPythonInformation = endpoint({
  operationId: 'getPythonInformation',
  contentKey: 'both',
  group: 'server-settings',
  summary: 'List the Python installations of the server',
  method: 'GET',
  path: '/v1/server_settings/python',
  status: 200,
  response: PythonInstallations,
  errors: [401, 403],
  access: 'publisher',
  origin: 'addition',
});

export const getServerSettings = endpoint({
  operationId: 'getServerSettings',
  contentKey: 'both',
  group: 'server-settings',
  summary:
    'What the server is, for anyone: versions, host name, authentication. A key that is sent must be valid',
  method: 'GET',
  path: '/server_settings',
  status: 200,
  response: ServerSettings,
  errors: [401],
  access: 'anyone',
  checksKey: true,
  origin: 'addition',
});

const forPublishers = {
  group: 'server-settings',
  method: 'GET',
  status: 200,
  access: 'publisher',
  origin: 'addition',
} as const;

/** Empty for a language that the server does not run. */
const Installed = Closed({ installations: Type.Array(Closed({ version: Type.String() })) });

export const getQuartoInformation = endpoint({
  ...forPublishers,
  operationId: 'getQuartoInformation',
  summary: 'List the Quarto that documents are rendered by; none where there is none',
  path: '/v1/server_settings/quarto',
  response: Installed,
  errors: [401, 403],
});

export const getNodeInformation = endpoint({
  ...forPublishers,
  operationId: 'getNodeInformation',
  summary: 'List the Node.js that applications run on; none where there is none',
  path: '/v1/server_settings/nodejs',
  response: Closed({ enabled: Type.Boolean(), ...Installed.properties }),
  errors: [401, 403],
});

export const getTensorFlowInformation = endpoint({
  ...forPublishers,
  operationId: 'getTensorFlowInformation',
  summary: 'List the TensorFlow Serving that models run on; none where `TensorFlow.Server` names none',
  path: '/v1/server_settings/tensorflow',
  response: Installed,
  errors: [401, 403],
});

export const getApplicationSettings = endpoint({
  ...forPublishers,
  operationId: 'getApplicationSettings',
  summary: 'Who content can be for, what it runs as, and how large a bundle can be',
  path: '/server_settings/applications',
  response: Closed({
    access_types: Type.Array(OneOf(ACCESS_TYPES)),
    run_as: Type.String({ description: 'Unix account; empty: that of the server' }),
    run_as_group: Type.String({ description: 'Empty: any' }),
    run_as_current_user: Type.Boolean(),
    // Optional: missing in responses of other servers.
    max_bundle_size: Type.Optional(Type.Integer({ description: 'Bytes of an archive that can be uploaded' })),
  }),
  errors: [401, 403],
});

export const SchedulerSettings = Closed({
  min_processes: Type.Integer(),
  max_processes: Type.Integer(),
  max_conns_per_process: Type.Integer(),
  load_factor: Type.Number(),
  init_timeout: Type.Integer({ description: 'Seconds, as all timeouts' }),
  idle_timeout: Type.Integer(),
  connection_timeout: Type.Integer(),
  read_timeout: Type.Integer(),
  min_processes_limit: Type.Integer({ description: 'Highest `min_processes` of a content item' }),
  max_processes_limit: Type.Integer({ description: 'Highest `max_processes` of a content item' }),
});

export const getSchedulerSettings = endpoint({
  ...forPublishers,
  operationId: 'getSchedulerSettings',
  summary: 'Read what applications run with where they say nothing themselves',
  path: '/server_settings/scheduler',
  response: SchedulerSettings,
  errors: [401, 403],
});

export const getSchedulerSettingsOfMode = endpoint({
  ...forPublishers,
  operationId: 'getSchedulerSettingsOfMode',
  summary: 'Read what content of one kind runs with; all kinds that run code have the same settings',
  path: '/server_settings/scheduler/{mode}',
  params: Type.Object({
    mode: Type.String({
      pattern: '^[a-z0-9-]{1,64}$',
      'x-form': '1 to 64 lower-case letters, digits and "-"',
      'x-error': 3,
    }),
  }),
  response: SchedulerSettings,
  errors: [400, 401, 403, 404],
});

const cache = {
  language: OneOf(['Python', 'R'], { 'x-error': 25 }),
  version: Type.String({ maxLength: 64, 'x-error': 25, description: 'Of the interpreter' }),
  image_name: Type.String({ description: 'Always Local' }),
};

export const getRuntimeCaches = endpoint({
  ...forPublishers,
  operationId: 'getRuntimeCaches',
  summary: 'List the versions of R and Python that packages were restored for',
  path: '/v1/system/caches/runtime',
  response: Closed({ caches: Type.Array(Closed(cache)) }),
  errors: [401, 403],
  access: 'administrator',
});

export const deleteRuntimeCache = endpoint({
  ...forPublishers,
  operationId: 'deleteRuntimeCache',
  summary: 'Remove the packages that were restored for a version of R or Python and that no content uses',
  method: 'DELETE',
  path: '/v1/system/caches/runtime',
  body: Type.Object({
    ...cache,
    image_name: Type.Optional(Nullable(OneOf(['Local'], { 'x-error': 4 }))),
    dry_run: Type.Optional(Nullable(Type.Boolean({ description: 'Only look whether it is there' }))),
  }),
  response: Closed({
    ...cache,
    task_id: Nullable(Type.String({ description: 'Null for `dry_run`' })),
  }),
  errors: [400, 401, 403, 404],
  access: 'administrator',
});
