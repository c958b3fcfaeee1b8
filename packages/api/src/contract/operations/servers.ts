// The servers of a cluster, for administrators: which of them are drained, and problems of one. Not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, OneOf, Type, type Static } from '../schema.ts';

const base = {
  group: 'servers',
  status: 200,
  access: 'administrator',
  origin: 'addition',
} as const;

export const ServerState = Closed({
  name: Type.String({
    description: 'Host name and the port of `HTTP.Listen`, such as `web1:3939`: the same after a restart',
  }),
  running: Type.Boolean(),
  draining: Type.Boolean({ description: 'Starts no processes; `/__health__/ready` returns 503' }),
  drained_time: Nullable(DateTime),
  drained_by: Nullable(Type.String({ description: 'Username of the administrator' })),
});
export type ServerState = Static<typeof ServerState>;

export const ServerStates = Closed({
  all_draining: Type.Boolean({ description: 'Servers that are started from now on drain, too' }),
  servers: Type.Array(ServerState, {
    description: 'Those that run, and those that drain though they do not run',
  }),
});
export type ServerStates = Static<typeof ServerStates>;

const scope = {
  body: Type.Object({
    server: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Its name; without it, all servers' }),
    ),
  }),
  bodyOptional: true,
  response: ServerStates,
  errors: [400, 401, 403, 404],
} as const;

export const getServers = endpoint({
  ...base,
  operationId: 'getServers',
  summary: 'List the servers of the database, and which of them drain',
  method: 'GET',
  path: '/v1/servers',
  response: ServerStates,
  errors: [401, 403],
  kept: false,
});

export const drainServers = endpoint({
  ...base,
  ...scope,
  operationId: 'drainServers',
  summary:
    'Start no more processes on one server or on all, also after a restart, until `resumeServers`; running processes continue',
  method: 'POST',
  path: '/v1/servers/drain',
});

export const resumeServers = endpoint({
  ...base,
  ...scope,
  operationId: 'resumeServers',
  summary: 'Start processes again on one server or on all',
  method: 'POST',
  path: '/v1/servers/resume',
});

export const FINDING_STATES = ['good', 'warning', 'bad'] as const;

export const ServerFinding = Closed({
  name: Type.String({ description: 'What was looked at' }),
  state: OneOf(FINDING_STATES),
  message: Type.String(),
  remedy: Type.String({ description: 'What to do; empty where there is nothing to do' }),
});
export type ServerFinding = Static<typeof ServerFinding>;

export const examineServer = endpoint({
  ...base,
  operationId: 'examineServer',
  summary:
    'Check what the answering server needs: disk, database, stores, other servers, mail, addresses, certificates, sign-in, R and Python. One check runs at a time (100), each part for 20 seconds at most',
  method: 'POST',
  path: '/v1/servers/examine',
  response: Closed({
    server: Type.String({ description: 'Its name' }),
    version: Type.String(),
    findings: Type.Array(ServerFinding),
  }),
  errors: [400, 401, 403],
});

export const SystemCheck = Closed({
  id: Type.Integer(),
  hostname: Type.String({ description: 'Name of the answering server' }),
  status: Type.Literal('done'),
});
export type SystemCheck = Static<typeof SystemCheck>;

const systemCheck = {
  params: Type.Object({ id: Type.Literal('1', { 'x-error': 4, 'x-form': '1' }) }),
  errors: [401, 403, 404],
} as const;

export const createSystemCheck = endpoint({
  ...base,
  operationId: 'createSystemCheck',
  summary: 'Name the check of the answering server, for other clients: it runs when its results are read',
  method: 'POST',
  path: '/v1/system/checks',
  response: SystemCheck,
  errors: [401, 403],
});

export const getSystemCheck = endpoint({
  ...base,
  ...systemCheck,
  operationId: 'getSystemCheck',
  summary: 'Read the state of the check: always done',
  method: 'GET',
  path: '/v1/system/checks/{id}',
  response: SystemCheck,
  kept: false,
});

export const getSystemCheckResults = endpoint({
  ...base,
  ...systemCheck,
  operationId: 'getSystemCheckResults',
  summary: 'Check what the answering server needs, as `examineServer` does; a warning has passed',
  method: 'GET',
  path: '/v1/system/checks/{id}/results',
  response: Closed({
    run: SystemCheck,
    results: Type.Array(
      Closed({
        group: Closed({ name: Type.String() }),
        test: Closed({ name: Type.String({ description: 'What was looked at' }) }),
        passed: Type.Boolean(),
        output: Type.String(),
        error: Type.String({ description: 'Empty if it has passed' }),
      }),
    ),
  }),
  errors: [400, 401, 403, 404],
  kept: false,
});
