// From a directory to a bundle: collect the files, detect what they are, write the manifest, stream the archive.
export { BundleError, type BundleErrorCode } from './bundle-error.ts';
export { pathProblem, type BundleFile } from './bundle-file.ts';
export { mapLimited } from './concurrency.ts';
export { standardExclusion } from './standard-exclusions.ts';
export {
  collectFiles,
  DEFAULT_LIMITS,
  type CollectedFiles,
  type CollectLimits,
  type CollectOptions,
  type CollectProgress,
  type ExcludedPath,
} from './collect-files.ts';
export { detectContent, type ContentCandidate } from './detect-content.ts';
export { buildManifest, type BuiltManifest, type ManifestOptions } from './build-manifest.ts';
export { checkManifest } from './read-manifest.ts';
export type { Manifest, ManifestMetadata, ManifestPackage, ManifestPython } from './manifest.ts';
export { packBundle, type PackedBundle, type PackOptions, type PackProgress } from './pack-bundle.ts';
export { dependencyNames, parseDescription } from './r-description.ts';
export { probePython, probeR, type ProbeOptions } from './probe-runtime.ts';
export type { HashProgress } from './hash-files.ts';
export { readArchive, type ArchivedFile } from './read-archive.ts';
export { changesSince, type KnownFile, type SeenFiles } from './changes-since.ts';
export { compareWithBundle, type Difference } from './compare.ts';
