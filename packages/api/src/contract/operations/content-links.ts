// Links between content. Not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, Nullable, PathUuid, Type, Uuid, type Static } from '../schema.ts';

export const ContentLinks = Closed({
  results: Type.Array(
    Closed({ content_guid: Uuid, content_name: Type.String(), content_title: Nullable(Type.String()) }),
    { description: 'Those that the caller may see, by name, at most 100' },
  ),
  total: Type.Integer({ description: 'How many there are, those that the caller may not see included' }),
});
export type ContentLinks = Static<typeof ContentLinks>;

export const getContentLinks = endpoint({
  operationId: 'getContentLinks',
  group: 'content',
  summary:
    'List the content whose files link to this content, by its GUID or its vanity path, as found when it went live last',
  method: 'GET',
  path: '/v1/content/{guid}/links',
  access: 'user',
  origin: 'addition',
  kept: false,
  params: Type.Object({ guid: PathUuid }),
  status: 200,
  response: ContentLinks,
  errors: [400, 401, 403, 404],
});
