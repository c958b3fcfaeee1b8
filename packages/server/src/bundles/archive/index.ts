// Uploaded bundles: received, checked, extracted.
export type { ArchiveEntry } from './entry-rules.ts';
export { extractBundle, type ExtractBundleOptions } from './extract-bundle.ts';
export { DEFAULT_ARCHIVE_LIMITS, type ArchiveLimits } from './limits.ts';
export { appModeOf } from './read-manifest.ts';
export { receiveBundle, type ReceiveBundleOptions, type ReceivedBundle } from './receive-bundle.ts';
export type { WrittenTree } from './tree-writer.ts';
