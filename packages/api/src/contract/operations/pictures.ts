// What a reader sees of two bundles: pictures of their first page, beside each other (our addition).
import { endpoint } from '../endpoint.ts';
import { BundleId, Closed, PathUuid, Type, type Static } from '../schema.ts';

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
  params: Type.Object({ guid: PathUuid, id: BundleId }),
  query: Type.Object({
    since: Type.Optional(Type.String({ description: 'The older bundle; absent: the active one' })),
  }),
  status: 200,
  answer: PageComparison,
  errors: [400, 401, 403, 404],
});
