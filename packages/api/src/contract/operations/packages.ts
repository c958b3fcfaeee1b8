// The R and Python packages that content uses, beside the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, Defaulted, Nullable, OneOf, PageOf, PathUuid, Type, Uuid, type Static } from '../schema.ts';

const base = { group: 'packages', method: 'GET', status: 200, origin: 'addition' } as const;
const MAX_INT32 = 2 ** 31 - 1;

const named = {
  language: OneOf(['python', 'r']),
  name: Type.String({ description: 'Of a Python package, the normalized name' }),
  version: Type.String(),
  hash: Nullable(Type.String({ description: 'Null: the server computes none' })),
};

export const ContentPackage = Closed(named);
export type ContentPackage = Static<typeof ContentPackage>;

export const ServerPackage = Closed({
  ...named,
  language_version: Nullable(Type.String()),
  bundle_id: Type.String({ description: 'The active bundle' }),
  app_id: Uuid,
  app_guid: Uuid,
});
export type ServerPackage = Static<typeof ServerPackage>;

export const getContentPackages = endpoint({
  ...base,
  operationId: 'getContentPackages',
  summary: 'List the packages of a content item: R from its manifest, Python from what was restored for it',
  path: '/v1/content/{guid}/packages',
  params: Type.Object({ guid: PathUuid }),
  response: Type.Array(ContentPackage, { description: 'By name; none before the first deploy' }),
  errors: [400, 401, 403, 404],
  access: 'user',
});

export const getPackages = endpoint({
  ...base,
  operationId: 'getPackages',
  summary: 'List the packages of all content that the caller may change; of all content for administrators',
  path: '/v1/packages',
  query: Type.Object({
    language: Type.Optional(OneOf(['python', 'r'], { 'x-error': 25 })),
    name: Type.Optional(Type.String({ description: 'Exact; Python names are normalized' })),
    version: Type.Optional(Type.String()),
    app_guid: Type.Optional(PathUuid),
    page_number: Defaulted(Type.Integer({ minimum: 1, maximum: MAX_INT32, 'x-error': 13 }), 1),
    page_size: Defaulted(
      Type.Integer({
        minimum: 1,
        maximum: MAX_INT32,
        'x-error': 13,
        description: 'A page has 100,000 at most, whatever is asked for',
      }),
      100_000,
    ),
  }),
  response: PageOf(ServerPackage),
  errors: [400, 401, 403],
  access: 'publisher',
  paging: 'offset',
});

export const getContentLockfile = endpoint({
  ...base,
  operationId: 'getContentLockfile',
  summary:
    'The Python packages that were restored for a content item, as a requirements file; error 4 for none',
  path: '/v1/content/{guid}/lockfile',
  params: Type.Object({ guid: PathUuid }),
  response: 'file',
  errors: [400, 401, 403, 404],
  access: 'user',
});
