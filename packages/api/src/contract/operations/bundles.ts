// Bundles (contract, 4.2) and their GA forms, which carry the content guid in the path.
import { endpoint } from '../endpoint.ts';
import {
  ArchiveHeaders,
  BundleId,
  Closed,
  DateTime,
  Nullable,
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

const inContent = Type.Object({ guid: PathUuid, id: BundleId });
const onItsOwn = Type.Object({ id: BundleId });

export const getBundle = endpoint({
  operationId: 'getBundle',
  group: 'bundles',
  summary: 'Read one bundle',
  method: 'GET',
  path: '/v1/experimental/bundles/{id}',
  params: onItsOwn,
  status: 200,
  answer: Bundle,
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'contract',
  experimental: true,
  replacement: '/v1/content/{guid}/bundles/{id}',
});

export const deleteBundle = endpoint({
  operationId: 'deleteBundle',
  group: 'bundles',
  summary: 'Delete a bundle that is not active',
  method: 'DELETE',
  path: '/v1/experimental/bundles/{id}',
  params: onItsOwn,
  status: 204,
  answer: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'contract',
  experimental: true,
  replacement: '/v1/content/{guid}/bundles/{id}',
});

export const downloadBundle = endpoint({
  operationId: 'downloadBundle',
  group: 'bundles',
  summary: 'Download the archive, byte for byte as it was uploaded',
  method: 'GET',
  path: '/v1/experimental/bundles/{id}/download',
  params: onItsOwn,
  status: 200,
  answer: 'archive',
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'contract',
  experimental: true,
  replacement: '/v1/content/{guid}/bundles/{id}/download',
});

export const getBundles = endpoint({
  operationId: 'getBundles',
  group: 'bundles',
  summary: 'List the bundles of a content item, by id',
  method: 'GET',
  path: '/v1/experimental/content/{guid}/bundles',
  params: Type.Object({ guid: PathUuid }),
  query: Type.Object({ ...OffsetQuery }),
  status: 200,
  answer: PageOf(Bundle),
  errors: [400, 401, 403, 404],
  access: 'user',
  paging: 'offset',
  origin: 'contract',
  experimental: true,
  replacement: '/v1/content/{guid}/bundles',
});

export const getBundlesGa = endpoint({
  operationId: 'getBundlesGa',
  group: 'bundles',
  summary: 'List all bundles of a content item, by id',
  method: 'GET',
  path: '/v1/content/{guid}/bundles',
  params: Type.Object({ guid: PathUuid }),
  status: 200,
  answer: Type.Array(Bundle),
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'ga',
});

export const getBundleGa = endpoint({
  operationId: 'getBundleGa',
  group: 'bundles',
  summary: 'Read one bundle of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/bundles/{id}',
  params: inContent,
  status: 200,
  answer: Bundle,
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'ga',
});

export const deleteBundleGa = endpoint({
  operationId: 'deleteBundleGa',
  group: 'bundles',
  summary: 'Delete a bundle of a content item that is not active',
  method: 'DELETE',
  path: '/v1/content/{guid}/bundles/{id}',
  params: inContent,
  status: 204,
  answer: 'empty',
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'ga',
});

export const downloadBundleGa = endpoint({
  operationId: 'downloadBundleGa',
  group: 'bundles',
  summary: 'Download the archive of a bundle of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/bundles/{id}/download',
  params: inContent,
  status: 200,
  answer: 'archive',
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'ga',
});
export const uploadContentBundleGa = endpoint({
  operationId: 'uploadContentBundleGa',
  group: 'bundles',
  summary: 'Upload a bundle, raw or as the part `archive` of a multipart form',
  method: 'POST',
  path: '/v1/content/{guid}/bundles',
  params: Type.Object({ guid: PathUuid }),
  headers: ArchiveHeaders,
  body: 'archive',
  status: 200,
  answer: Bundle,
  errors: [400, 401, 403, 404],
  access: 'publisher',
  origin: 'ga',
});
