// The contract as data: its operations, its errors, and the documents made from both.
export * from './docs/api-page.ts';
export * from './docs/openapi.ts';
export * from './endpoint.ts';
export * from './errors/api-error.ts';
export * from './errors/errors.ts';
export * from './errors/table.ts';
export * from './kinds.ts';
export type { Manifest, ManifestMetadata, ManifestPackage, ManifestPython } from './manifest/manifest.ts';
export * from './operations/index.ts';
export type { Pager } from './schema.ts';
