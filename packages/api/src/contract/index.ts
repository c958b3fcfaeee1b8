// The contract as data: operations, errors, and documents generated from them.
export * from './collect-bytes.ts';
export * from './commit-text.ts';
export { withoutDirections } from './directions.ts';
export * from './docs/api-page.ts';
export * from './docs/openapi.ts';
export * from './docs/types-page.ts';
export * from './endpoint.ts';
export * from './errors/api-error.ts';
export * from './errors/errors.ts';
export * from './errors/table.ts';
export * from './find-kind.ts';
export {
  APP_MODES,
  type AppMode,
  type Detection,
  type Engine,
  type LabelLanguage,
  type Language,
} from './kind-row.ts';
export * from './kinds.ts';
export { holdsShinyApp, mainFileProblem, primaryFileOf } from './manifest/main-file.ts';
export type { Manifest, ManifestPackage, ManifestPython } from './manifest/manifest.ts';
export type { ManifestFile } from './manifest/manifest-file.ts';
export { ManifestError, manifestOf, parseManifest } from './manifest/parse-manifest.ts';
export { textOfBytes } from './manifest/text-of-bytes.ts';
export { meetsRequirement, parseVersionRequirement } from './manifest/version-requirement.ts';
export { isUnprintable, quoteName, UNPRINTABLE } from './manifest/quote-name.ts';
export * from './operations/index.ts';
export type { Pager } from './schema.ts';
