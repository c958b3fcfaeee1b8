// Bundles (contract, 4.2) and their GA forms, with the content GUID in the path.
import { twoForms } from '../endpoint.ts';
import {
  ArchiveHeaders,
  Closed,
  DateTime,
  Nullable,
  NumericId,
  OffsetQuery,
  PageOf,
  PathUuid,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';

export const Bundle = Closed({
  id: Type.String(),
  content_guid: Uuid,
  created_time: DateTime,
  r_version: Nullable(Type.String()),
  py_version: Nullable(Type.String()),
  active: Type.Boolean(),
  size: Type.Number({ description: 'Bytes of the archive; 0 when it is not on disk' }),
});
export type Bundle = Static<typeof Bundle>;

export const BundleGa = Closed({
  ...Bundle.properties,
  metadata: Closed({
    archive_md5: Type.Optional(Type.String({ description: 'Hex' })),
    archive_sha1: Type.Optional(
      Type.String({ description: 'Hex; not of archives that came before it was kept' }),
    ),
    source: Type.Optional(
      Type.String({ description: '`git`: made of a commit, which the server fetched or the client reports' }),
    ),
    source_repo: Type.Optional(Type.String()),
    source_branch: Type.Optional(Type.String()),
    source_commit: Type.Optional(
      Type.String({ description: 'SHA; a client adds `-dirty` if files were changed since' }),
    ),
    source_author: Type.Optional(Type.String()),
    source_subject: Type.Optional(Type.String({ description: 'First line of the message of the commit' })),
    source_time: Type.Optional(DateTime),
  }),
});
export type BundleGa = Static<typeof BundleGa>;

export const BundleCommit = Closed(
  {
    sha: Type.String(),
    subject: Type.String({ description: 'The first line of its message' }),
    author: Type.String(),
    branch: Type.String(),
    repository: Type.String(),
  },
  {
    description:
      'Fetched by the server, or reported by the client; null if unknown. What a client did not report is empty',
  },
);
export type BundleCommit = Static<typeof BundleCommit>;

/** The response of an upload in the contract; current servers return the bundle. */
const UploadedBundle = Closed({
  bundle_id: Type.String(),
  size: Type.Number({ description: 'Bytes' }),
});

const inContent = Type.Object({ guid: PathUuid, id: NumericId });
const onItsOwn = Type.Object({ id: NumericId });
const ofContent = Type.Object({ guid: PathUuid });

const shared = { group: 'bundles', errors: [400, 401, 403, 404], access: 'user' } as const;

export const getBundle = twoForms({
  ...shared,
  operationId: 'getBundle',
  summary: 'Read one bundle',
  method: 'GET',
  status: 200,
  experimental: { path: '/v1/experimental/bundles/{id}', params: onItsOwn, response: Bundle },
  stable: {
    contentKey: 'both',
    path: '/v1/content/{guid}/bundles/{id}',
    params: inContent,
    response: BundleGa,
    summary: 'Read one bundle of a content item',
  },
});

export const deleteBundle = twoForms({
  ...shared,
  operationId: 'deleteBundle',
  summary: 'Delete a bundle that is not active',
  method: 'DELETE',
  status: 204,
  response: 'empty',
  experimental: { path: '/v1/experimental/bundles/{id}', params: onItsOwn },
  stable: {
    contentKey: 'own',
    path: '/v1/content/{guid}/bundles/{id}',
    params: inContent,
    summary: 'Delete a bundle of a content item that is not active',
  },
});

export const downloadBundle = twoForms({
  ...shared,
  operationId: 'downloadBundle',
  summary: 'Download the archive, byte for byte as it was uploaded',
  method: 'GET',
  status: 200,
  response: 'archive',
  experimental: { path: '/v1/experimental/bundles/{id}/download', params: onItsOwn },
  stable: {
    contentKey: 'both',
    path: '/v1/content/{guid}/bundles/{id}/download',
    params: inContent,
    summary: 'Download the archive of a bundle of a content item',
  },
});

export const getBundles = twoForms({
  ...shared,
  operationId: 'getBundles',
  contentKey: 'both',
  summary: 'List the bundles of a content item, by id',
  method: 'GET',
  params: ofContent,
  status: 200,
  experimental: {
    path: '/v1/experimental/content/{guid}/bundles',
    query: Type.Object({ ...OffsetQuery }),
    response: PageOf(Bundle),
    paging: 'offset',
  },
  stable: {
    path: '/v1/content/{guid}/bundles',
    response: Type.Array(BundleGa),
    summary: 'List all bundles of a content item, by id',
  },
});

export const uploadContentBundle = twoForms({
  operationId: 'uploadContentBundle',
  contentKey: 'both',
  group: 'content',
  summary: 'Upload a bundle',
  method: 'POST',
  params: ofContent,
  headers: ArchiveHeaders,
  body: 'archive',
  status: 200,
  access: 'publisher',
  experimental: {
    path: '/v1/experimental/content/{guid}/upload',
    response: UploadedBundle,
    errors: [400, 401, 404],
  },
  stable: {
    path: '/v1/content/{guid}/bundles',
    response: BundleGa,
    errors: [400, 401, 403, 404],
    group: 'bundles',
    summary:
      'Upload a bundle, raw or as the part `archive` of a multipart form; its field `metadata` may name the commit',
  },
});
