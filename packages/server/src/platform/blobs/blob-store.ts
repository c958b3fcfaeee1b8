// Where bundle archives are kept: a port, and what fills it: a directory by default, or a bucket of an S3 store.
import type { Readable } from 'node:stream';
import type { Micros } from '../database/schema.ts';

/** An archive opened for reading; destroying the stream closes it. */
export interface OpenBlob {
  stream: Readable;
  /** Bytes of the whole archive, whatever the range. */
  size: number;
}

/** What the row of a bundle says about where its archive is. */
export interface BlobKey {
  readonly id: number;
  /** Its name in the store; null: it is named by the id. */
  readonly blob: string | null;
  /** Of its upload, in hex. */
  readonly md5?: string;
}

/** Takes an archive in, piece by piece; failures are kept, so that the rest of the upload can still be read. */
export interface BlobSink {
  /** Resolves when the next piece is wanted. Never rejects. */
  write(chunk: Buffer): Promise<void>;
  failed(): boolean;
  throwIfFailed(): void;
  /** Once this resolves, all of it is stored. @throws ApiError 134 */
  finish(): Promise<void>;
  /** Drops what was written. Never rejects. */
  discard(): Promise<void>;
}

/** An archive that has no id yet. */
export interface NewBlob {
  /** For the row of the bundle. */
  readonly blob: string | null;
  /** Where it is written to: a path, or a sink. Nothing is made there yet. */
  readonly target: string | BlobSink;
}

/** Keeps the archives of bundles, byte for byte. */
export interface BlobStore {
  /** Archives of what was rendered; null where the directory of deployed content is all there is. */
  readonly sites: SiteArchives | null;
  /** Logs of processes that have ended; null where the directory of logs is all there is. */
  readonly logs: LogArchives | null;
  reserve(): Promise<NewBlob>;
  /**
   * Gives a finished archive its id; once this resolves, a crash cannot lose it.
   * @throws ApiError 134 when the disk refuses; the archive is then still where it was or already at its id
   */
  commit(reserved: NewBlob, id: number): Promise<void>;
  /** Drops what was reserved; fine when nothing was written. Not for what was committed: that is removed. */
  discard(reserved: NewBlob): Promise<void>;
  /**
   * Opens an archive, or `range` of it in bytes, `end` excluded. It can be read to its end even if it is removed
   * meanwhile.
   * @throws ApiError 4 when there is none, 13 for a range without a byte, 1 with status 503 when the store does not answer.
   * The stream of a store ends with ApiError 135 where all of it is not what was uploaded.
   */
  open(key: BlobKey, range?: { start: number; end: number }): Promise<OpenBlob>;
  /** Bytes of an archive, 0 when a directory has none; of a store, which is not asked, what the row says. */
  size(key: BlobKey & { readonly size: number }): Promise<number>;
  /** Drops an archive; fine when there is none. What a store refuses to drop is left to the sweep. */
  remove(key: BlobKey): Promise<void>;
  /**
   * Drops what a crash left: reserved archives, and those that are not known. Only for start-up, when no upload to this
   * directory is under way; in a store that others may be writing to, what is new is left alone. Answers the names of
   * what it dropped.
   */
  sweep(known: readonly BlobKey[]): Promise<string[]>;
  /** Whether there are archives, of whichever database. @throws when the store does not answer */
  hasSome(): Promise<boolean>;
  /** Drops reserved archives that nobody has written to since. Answers the names of what it dropped. */
  sweepUploads(before: Micros): Promise<string[]>;
}

/** Keeps what was rendered, for servers that do not share a directory. */
export interface SiteArchives {
  /** Resolves when all of it is stored. @throws ApiError 1 with status 503 */
  put(contentGuid: string, site: string, archive: Readable): Promise<void>;
  /** @throws ApiError 4, 1 with status 503 */
  open(contentGuid: string, site: string): Promise<OpenBlob>;
  /** Drops all of a content item but some. @param kept asked when it is known what is there: what comes later stays */
  removeAllBut(contentGuid: string, kept: () => Promise<readonly string[]>): Promise<void>;
  /**
   * Drops what no content item serves, unless it is new. Answers the names of what it dropped.
   * @param serving content items, each with a site, as often as it has some
   */
  sweep(serving: Iterable<readonly [contentGuid: string, site: string | null]>): Promise<string[]>;
}

/** Keeps logs of processes that have ended, for servers that do not share a directory. */
export interface LogArchives {
  /** @throws ApiError 134 with status 503 */
  put(contentGuid: string, name: string, log: Readable): Promise<void>;
  /** @throws ApiError 4, 1 with status 503 */
  open(contentGuid: string, name: string): Promise<OpenBlob>;
  remove(contentGuid: string, name: string): Promise<void>;
  removeAll(contentGuid: string): Promise<void>;
}
