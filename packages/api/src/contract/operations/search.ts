// Search of content by text, owner, kind and tag, beside the contract.
import { endpoint } from '../endpoint.ts';
import { Defaulted, OffsetQuery, OneOf, PageOf, Type } from '../schema.ts';
import { ContentGa } from './content.ts';

export const searchContent = endpoint({
  operationId: 'searchContent',
  group: 'content',
  summary: 'Search the content items the caller may see',
  method: 'GET',
  path: '/v1/search/content',
  query: Type.Object({
    ...OffsetQuery,
    q: Defaulted(
      Type.String({
        maxLength: 1000,
        'x-error': 25,
        description:
          'Words of the name, title, description, owner, tags or GUID, at most 100; all must occur. `owner:NAME` or `owner:@me`, ' +
          '`type:KIND`, `tag:NAME` and `state:published` or `state:unpublished` narrow the result; quote values with spaces: `tag:"My team"`; a quote within quotes is written twice',
      }),
      '',
    ),
    sort: Defaulted(OneOf(['name', 'created', 'last_deployed_time'], { 'x-error': 25 }), 'name'),
    order: Defaulted(OneOf(['asc', 'desc'], { 'x-error': 25 }), 'asc'),
    include: Type.Optional(
      Type.String({
        pattern: '^(owner|tags|vanity_url)(,(owner|tags|vanity_url))*$',
        'x-form': 'owner, tags or vanity_url, or several of them with commas between',
        'x-error': 25,
        description: '`owner`, `tags`, `vanity_url`, comma-separated',
      }),
    ),
  }),
  status: 200,
  response: PageOf(ContentGa),
  errors: [400, 401],
  access: 'user',
  paging: 'offset',
  origin: 'addition',
});
