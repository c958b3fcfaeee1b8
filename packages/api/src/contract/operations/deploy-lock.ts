// A lock on deploys of a content item, with its reason and its end; not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, PathUuid, StoredTime, Type, Uuid, type Static } from '../schema.ts';

const params = Type.Object({ guid: PathUuid });
const base = { group: 'runs', access: 'user', origin: 'addition', kept: false } as const;
const errors = [400, 401, 403, 404] as const;
const path = '/v1/content/{guid}/deploy-lock';

export const DeployLock = Closed({
  reason: Type.String(),
  until: Nullable(
    Type.String({ format: 'date-time', description: 'When it ends; null: when it is removed' }),
  ),
  user_guid: Uuid,
  username: Nullable(Type.String({ description: 'Who locked deploys; null for a deleted user' })),
  created_time: DateTime,
});
export type DeployLock = Static<typeof DeployLock>;

export const getDeployLock = endpoint({
  ...base,
  operationId: 'getDeployLock',
  contentKey: 'pipeline',
  summary: 'Read why and until when deploys of a content item are locked; 404 when they are not',
  method: 'GET',
  path,
  params,
  status: 200,
  response: DeployLock,
  errors,
});

export const setDeployLock = endpoint({
  ...base,
  operationId: 'setDeployLock',
  summary: 'Lock deploys of a content item: whoever deploys it is refused with code 22 and the reason',
  method: 'PUT',
  path,
  params,
  body: Type.Object({
    reason: Type.String({ minLength: 1, maxLength: 500, 'x-error': 25 }),
    until: Type.Optional(Nullable(StoredTime('In the future; null: until it is removed'))),
  }),
  status: 200,
  response: DeployLock,
  errors,
});

export const deleteDeployLock = endpoint({
  ...base,
  operationId: 'deleteDeployLock',
  summary: 'Allow deploys of a content item again',
  method: 'DELETE',
  path,
  params,
  status: 204,
  response: 'empty',
  errors,
});
