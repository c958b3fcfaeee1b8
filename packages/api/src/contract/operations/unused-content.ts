// Unused content, whose owner is asked whether to keep it. Not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, PathUuid, Type, Uuid, type Static } from '../schema.ts';

const base = { group: 'content', access: 'user', origin: 'addition', kept: false } as const;

export const UnusedContent = Closed({
  content_guid: Uuid,
  content_name: Type.String(),
  content_title: Nullable(Type.String()),
  owner_guid: Uuid,
  owner_username: Nullable(Type.String({ description: 'Null where the account is gone' })),
  last_used_time: Nullable(DateTime),
  last_deployed_time: Nullable(DateTime),
});
export type UnusedContent = Static<typeof UnusedContent>;

export const getUnusedContent = endpoint({
  ...base,
  operationId: 'getUnusedContent',
  summary:
    'List content of the caller that nobody used or deployed for `Usage.UnusedAfter`, that has no schedule and that nobody said to keep; what was not used for longest comes first, at most 500; administrators see that of everybody',
  method: 'GET',
  path: '/v1/unused-content',
  status: 200,
  response: Type.Array(UnusedContent),
  errors: [401, 403],
});

export const keepContent = endpoint({
  ...base,
  operationId: 'keepContent',
  summary:
    'Say that content is kept although nobody uses it: for another `Usage.UnusedAfter` nobody is asked',
  method: 'POST',
  path: '/v1/content/{guid}/keep',
  params: Type.Object({ guid: PathUuid }),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
});
