// From a directory to the files and the manifest of a bundle, without the client: a worker thread loads little.
export { BundleError, type BundleErrorCode } from './collect/bundle-error.ts';
export { describePath, pathProblem, type BundleFile } from './collect/bundle-file.ts';
export {
  collectFiles,
  DEFAULT_LIMITS,
  type CollectedFiles,
  type CollectLimits,
  type CollectOptions,
  type CollectProgress,
  type ExcludedPath,
} from './collect/collect-files.ts';
export type { HashProgress } from './collect/hash-files.ts';
export type { ContentCandidate, Reason } from './detect/content-candidate.ts';
export { detectContent, viewContent } from './detect/detect-content.ts';
export { explainUnknown } from './detect/explain-unknown.ts';
export { buildManifest, type BuiltManifest, type ManifestOptions } from './manifest/build-manifest.ts';
export { probePython, probeR, type ProbeOptions } from './manifest/probe-runtime.ts';
