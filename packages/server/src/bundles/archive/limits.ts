// Limits of a bundle: every count, size and depth that an upload could drive up.

/** Limits of one bundle; exceeding one is error 135 (38 for the manifest). */
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
  /** Bytes of manifest.json; large ones are parsed in a worker thread and only partly kept. */
  maxManifestBytes: number;
  /** Bytes of disk space that stay free. */
  diskReserve: number;
}

/** Limits without settings. */
export const DEFAULT_ARCHIVE_LIMITS: Readonly<ArchiveLimits> = {
  maxBundleBytes: 8 * 1024 ** 3,
  maxUnpackedBytes: 16 * 1024 ** 3,
  maxEntries: 250_000,
  maxPathBytes: 1024,
  maxDepth: 48,
  maxManifestBytes: 10 * 1024 ** 2,
  diskReserve: 1024 ** 3,
};
