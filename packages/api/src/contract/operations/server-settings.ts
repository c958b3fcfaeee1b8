// The server's R (contract, 4.6) and Python installations, and its public settings.
import { endpoint } from '../endpoint.ts';
import { Closed, Type, type Static } from '../schema.ts';

export const RInstallations = Closed({
  installations: Type.Array(Closed({ version: Type.String() })),
});
export type RInstallations = Static<typeof RInstallations>;

export const PythonInstallations = Closed({
  installations: Type.Array(
    Closed({ version: Type.String(), cluster_name: Type.String(), image_name: Type.String() }),
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
  task_cancel: Type.Optional(Type.Boolean({ description: 'Whether cancelTask is there' })),
  device_sign_in: Type.Optional(Type.Boolean({ description: 'Whether beginDeviceSignIn is there' })),
});
export type ServerSettings = Static<typeof ServerSettings>;

export const getRInformation = endpoint({
  operationId: 'getRInformation',
  group: 'server-settings',
  summary: 'List the R installations of the server',
  method: 'GET',
  path: '/v1/server_settings/r',
  status: 200,
  answer: RInstallations,
  errors: [401, 403],
  access: 'publisher',
  origin: 'contract',
});

export const getPythonInformation = endpoint({
  operationId: 'getPythonInformation',
  group: 'server-settings',
  summary: 'List the Python installations of the server',
  method: 'GET',
  path: '/v1/server_settings/python',
  status: 200,
  answer: PythonInstallations,
  errors: [401, 403],
  access: 'publisher',
  origin: 'addition',
});

export const getQuartoInformation = endpoint({
  operationId: 'getQuartoInformation',
  group: 'server-settings',
  summary: 'List the Quarto installations of the server: it has none so far',
  method: 'GET',
  path: '/v1/server_settings/quarto',
  status: 200,
  answer: Closed({ installations: Type.Array(Closed({ version: Type.String() })) }),
  errors: [401, 403],
  access: 'publisher',
  origin: 'addition',
});

export const getServerSettings = endpoint({
  operationId: 'getServerSettings',
  group: 'server-settings',
  summary:
    'What the server is, for anyone: versions, host name, authentication. A key that is sent must be valid',
  method: 'GET',
  path: '/server_settings',
  status: 200,
  answer: ServerSettings,
  errors: [401],
  access: 'anyone',
  checksKey: true,
  origin: 'addition',
});
