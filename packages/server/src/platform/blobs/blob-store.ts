// Storage of bundle archives: a port, implemented by a directory or an S3 bucket.
import type { Readable } from 'node:stream';
import type { Micros } from '../database/schema.ts';

/** An archive opened for reading; destroying the stream closes it. */
export interface OpenBlob {
  stream: Readable;
  /** Bytes of the whole archive, whatever the range. */
  size: number;
}

/** The location of an archive, from the row of its bundle. */
export interface BlobKey {
  readonly id: number;
  /** Its name in the store; null if it is named by id. */
  readonly blob: string | null;
  /** MD5 of the upload, in hex. */
  readonly md5?: string;
}

/** Receives an archive in chunks; errors are kept, so that the rest of the upload can still be read. */
export interface BlobSink {
  /** Resolves when the next chunk is accepted. Never rejects. */
  write(chunk: Buffer): Promise<void>;
  failed(): boolean;
  throwIfFailed(): void;
  /** Resolves once everything is stored. @throws ApiError 134 */
  finish(): Promise<void>;
  /** Discards what was written. Never rejects. */
  discard(): Promise<void>;
}

/** An archive without an id yet. */
export interface NewBlob {
  /** Stored in the row of the bundle. */
  readonly blob: string | null;
  /** Where to write it: a path, or a sink. Nothing is created yet. */
  readonly target: string | BlobSink;
}

/** Stores the archives of bundles, byte for byte. */
export interface BlobStore {
  /** Archives of renderings; null if they exist only in the directory of deployed content. */
  readonly sites: SiteArchives | null;
  /** Logs of ended processes; null if they exist only in the directory of logs. */
  readonly logs: LogArchives | null;
  reserve(): Promise<NewBlob>;
  /**
   * Assigns the id of a complete archive; after this resolves, a crash cannot lose it.
   * @throws ApiError 134 if the disk refuses; the archive is then still where it was or already at its id
   */
  commit(reserved: NewBlob, id: number): Promise<void>;
  /** Discards a reserved archive; does nothing if nothing was written. Committed archives are removed with `remove`. */
  discard(reserved: NewBlob): Promise<void>;
  /**
   * Opens an archive, or `range` of it in bytes, `end` excluded. It can be read to its end even if it is removed
   * meanwhile.
   * @throws ApiError 4 if there is none, 13 for an empty range, 1 with status 503 if the store does not respond. The
   * stream of a store ends with ApiError 135 if the complete archive differs from the upload.
   */
  open(key: BlobKey, range?: { start: number; end: number }): Promise<OpenBlob>;
  /** Bytes of an archive, 0 if it is missing in a directory; with a store, the size in the row. */
  size(key: BlobKey & { readonly size: number }): Promise<number>;
  /** Removes an archive, if it exists. A failed removal in a store is left to the sweep. */
  remove(key: BlobKey): Promise<void>;
  /**
   * Removes leftovers of a crash: reserved and unknown archives. Only at start, without uploads to this directory; in a
   * store that others may write to, new objects stay. Returns the removed names.
   */
  sweep(known: readonly BlobKey[]): Promise<string[]>;
  /** Ids of those archives that are not there. @throws if the store does not respond */
  missing(known: readonly BlobKey[]): Promise<number[]>;
  /** Whether there are archives, of any database. @throws if the store does not respond */
  hasSome(): Promise<boolean>;
  /**
   * Removes reserved archives without writes since a time. Returns their names.
   * @param of limits it to those of one server; a bucket does not know whose they are, and removes none
   */
  sweepUploads(before: Micros, of?: string): Promise<string[]>;
}

/** Stores renderings, for servers without a shared directory. */
export interface SiteArchives {
  /** Resolves once everything is stored. @throws ApiError 1 with status 503 */
  put(contentGuid: string, site: string, archive: Readable): Promise<void>;
  /** @throws ApiError 4, 1 with status 503 */
  open(contentGuid: string, site: string): Promise<OpenBlob>;
  /** Removes all archives of a content item except some. @param kept called after listing: later ones stay */
  removeAllBut(contentGuid: string, kept: () => Promise<readonly string[]>): Promise<void>;
  /**
   * Removes unused archives, unless they are new. Returns their names.
   * @param serving pairs of content item and site in use
   */
  sweep(serving: Iterable<readonly [contentGuid: string, site: string | null]>): Promise<string[]>;
}

/** Stores logs of ended processes, for servers without a shared directory. */
export interface LogArchives {
  /** @throws ApiError 134 with status 503 */
  put(contentGuid: string, name: string, log: Readable): Promise<void>;
  /** @throws ApiError 4, 1 with status 503 */
  open(contentGuid: string, name: string): Promise<OpenBlob>;
  /** A failure is left to the sweep. */
  remove(contentGuid: string, name: string): Promise<void>;
  removeAll(contentGuid: string): Promise<void>;
  /**
   * Removes all other logs, unless they are new. Returns their names.
   * @param listed names by content item
   */
  sweep(listed: ReadonlyMap<string, ReadonlySet<string>>): Promise<string[]>;
}
