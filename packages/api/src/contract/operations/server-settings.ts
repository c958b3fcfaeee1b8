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
  version: Type.String(),
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

export const getServerSettings = endpoint({
  operationId: 'getServerSettings',
  group: 'server-settings',
  summary: 'What the server is, for anyone: version, host name, authentication',
  method: 'GET',
  path: '/server_settings',
  status: 200,
  answer: ServerSettings,
  errors: [],
  access: 'anyone',
  origin: 'addition',
});
