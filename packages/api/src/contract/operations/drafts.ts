// Drafts of a content item: bundles deployed without becoming active; not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, NumericId, PathUuid, Type, Uuid, type Static } from '../schema.ts';

const base = { group: 'runs', access: 'user', origin: 'addition', kept: false } as const;
const params = Type.Object({ guid: PathUuid });
const one = Type.Object({
  guid: PathUuid,
  id: NumericId,
});

export const Draft = Closed({
  bundle_id: Type.String(),
  preview: Nullable(Type.String({ description: 'The name in its address; null for none' })),
  url: Type.String({ description: 'Where collaborators of the content open it' }),
  task_id: Type.String({ description: 'That deployed it' }),
  user_guid: Uuid,
  username: Nullable(Type.String({ description: 'Who deployed it; null for a deleted user' })),
  created_time: DateTime,
  expires_time: Type.String({ format: 'date-time', description: 'When it is removed' }),
});
export type Draft = Static<typeof Draft>;

export const getDrafts = endpoint({
  ...base,
  operationId: 'getDrafts',
  contentKey: 'pipeline',
  summary: 'List the drafts of a content item, the newest first',
  method: 'GET',
  path: '/v1/content/{guid}/drafts',
  params,
  status: 200,
  response: Type.Array(Draft),
  errors: [400, 401, 403, 404],
});

export const getDraft = endpoint({
  ...base,
  operationId: 'getDraft',
  contentKey: 'pipeline',
  summary: 'Read one draft of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/drafts/{id}',
  params: one,
  status: 200,
  response: Draft,
  errors: [400, 401, 403, 404],
});

export const deleteDraft = endpoint({
  ...base,
  operationId: 'deleteDraft',
  contentKey: 'pipeline',
  summary: 'Discard a draft; its bundle stays. Refused with code 100 while the bundle is deployed',
  method: 'DELETE',
  path: '/v1/content/{guid}/drafts/{id}',
  params: one,
  query: Type.Object({
    task_id: Type.Optional(
      Type.String({
        maxLength: 64,
        'x-error': 25,
        description:
          '`task_id` of the draft that is discarded; refused with code 100 where another has replaced it',
      }),
    ),
  }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
});
