// Operations that clients call but this server does not support: execution environments. The responses say so.
import { endpoint } from '../endpoint.ts';
import { Closed, PathUuid, Type } from '../schema.ts';

const base = { origin: 'addition', status: 200 } as const;
const params = Type.Object({ guid: PathUuid });
/** Always empty. */
const None = Type.Array(Closed({ guid: Type.String() }), { maxItems: 0 });
/** Never answered. */
const Nothing = Closed({ guid: Type.String() });

export const getExecutionEnvironments = endpoint({
  ...base,
  operationId: 'getExecutionEnvironments',
  group: 'server-settings',
  summary: 'List the images that content can run in: none, content runs on the server itself',
  method: 'GET',
  path: '/v1/environments',
  response: None,
  errors: [401, 403],
  access: 'publisher',
});

export const getExecutionEnvironment = endpoint({
  ...base,
  operationId: 'getExecutionEnvironment',
  group: 'server-settings',
  summary: 'Read an image that content can run in: always error 4',
  method: 'GET',
  path: '/v1/environments/{guid}',
  params,
  response: Nothing,
  errors: [400, 401, 403, 404],
  access: 'publisher',
});
