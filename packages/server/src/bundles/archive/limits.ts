// How much a bundle may ask for: every count, size and depth that an upload could drive up.

/** Limits of one bundle; passing any of them is error 135 (38 for the manifest). */
export interface ArchiveLimits {
  /** Bytes of the uploaded, compressed archive. */
  maxBundleBytes: number;
  /** Bytes of all entries together once unpacked, extension headers included. */
  maxUnpackedBytes: number;
  /** Files and directories together; a directory that only a file's path implies counts too. */
  maxEntries: number;
  /** UTF-8 bytes of one path. */
  maxPathBytes: number;
  /** Components of one path. */
  maxDepth: number;
  /** Bytes of manifest.json; of a large one, little is kept, and it is parsed in a thread of its own. */
  maxManifestBytes: number;
  /** Bytes of the disk that stay free. */
  diskReserve: number;
}

/** What a server allows when its settings say nothing. */
export const DEFAULT_ARCHIVE_LIMITS: Readonly<ArchiveLimits> = {
  maxBundleBytes: 8 * 1024 ** 3,
  maxUnpackedBytes: 16 * 1024 ** 3,
  maxEntries: 250_000,
  maxPathBytes: 1024,
  maxDepth: 48,
  maxManifestBytes: 10 * 1024 ** 2,
  diskReserve: 1024 ** 3,
};
