// Uploaded bundles: taken in, judged, extracted.
export { wireAppMode, type WireAppMode } from './app-mode.ts';
export type { ArchiveEntry } from './entry-rules.ts';
export { extractBundle, type ExtractBundleOptions } from './extract-bundle.ts';
export { DEFAULT_ARCHIVE_LIMITS, type ArchiveLimits } from './limits.ts';
export { INDEX_RMD, type Manifest, type ManifestPackage, type ManifestPython } from './manifest.ts';
export { receiveBundle, type ReceiveBundleOptions, type ReceivedBundle } from './receive-bundle.ts';
export type { WrittenTree } from './tree-writer.ts';
