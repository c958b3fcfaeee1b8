// Compares two bundles as a reader sees them: screenshots of their first page, and numbers that moved (our additions).
import { endpoint } from '../endpoint.ts';
import { Closed, Nullable, NumericId, PathUuid, Type, type Static } from '../schema.ts';

const Picture = Closed({
  bundle_id: Type.String(),
  image: Type.String({ description: 'PNG, base64' }),
});

export const PageComparison = Closed({
  before: Picture,
  after: Picture,
  difference: Type.String({ description: 'PNG, base64: what differs in red over the page in grey' }),
  changed: Type.Number({ description: 'Share of the picture that differs, from 0 to 1' }),
  width: Type.Integer({ description: 'Pixels of each picture, which shows the first screen' }),
  height: Type.Integer(),
});
export type PageComparison = Static<typeof PageComparison>;

export const compareBundlePages = endpoint({
  operationId: 'compareBundlePages',
  group: 'bundles',
  origin: 'addition',
  access: 'user',
  summary:
    'Compare what a reader sees of two bundles: pictures of the first screen. Any two bundles of content that is served as it is; of documents the active bundle and drafts',
  method: 'GET',
  path: '/v1/content/{guid}/bundles/{id}/pages',
  params: Type.Object({ guid: PathUuid, id: NumericId }),
  query: Type.Object({
    since: Type.Optional(Type.String({ description: 'The older bundle; absent: the active one' })),
  }),
  status: 200,
  response: PageComparison,
  errors: [400, 401, 403, 404],
});

export const MovedNumbers = Closed({
  before: Closed({ bundle_id: Type.String() }),
  after: Closed({ bundle_id: Type.String() }),
  moved: Type.Array(
    Closed({
      table: Type.String({ description: 'Caption, or its place on the page, such as "Table 2"' }),
      row: Type.String({ description: 'Text of its first cell, or its place' }),
      column: Type.String({ description: 'Text of its header, or its place' }),
      before: Type.String({ description: 'As the page shows it' }),
      after: Type.String(),
      difference: Type.Number(),
      percent: Nullable(Type.Number({ description: 'Of the number before; null where that was 0' })),
    }),
    { description: 'At most 500: those first that moved most by their share' },
  ),
  more: Type.Integer({ description: 'How many more moved' }),
});
export type MovedNumbers = Static<typeof MovedNumbers>;

export const compareBundleNumbers = endpoint({
  operationId: 'compareBundleNumbers',
  group: 'bundles',
  origin: 'addition',
  access: 'user',
  summary:
    'List numbers that moved between two bundles: in the tables of their first page, cell by cell. Of the same bundles as compareBundlePages',
  method: 'GET',
  path: '/v1/content/{guid}/bundles/{id}/numbers',
  params: Type.Object({ guid: PathUuid, id: NumericId }),
  query: Type.Object({
    since: Type.Optional(Type.String({ description: 'The older bundle; absent: the active one' })),
  }),
  status: 200,
  response: MovedNumbers,
  errors: [400, 401, 403, 404],
});
