// Where bundle archives are kept: a port, and the directory that fills it by default.
import type { Readable } from 'node:stream';
import type { Micros } from '../database/schema.ts';

/** An archive opened for reading; destroying the stream closes it. */
export interface OpenBlob {
  stream: Readable;
  /** Bytes of the whole archive, whatever the range. */
  size: number;
}

/** Keeps the archives of bundles, byte for byte, by the bundle's id. */
export interface BlobStore {
  /** A path to write an archive to before it has an id. Nothing is made there yet. */
  reserve(): Promise<string>;
  /**
   * Gives a written and fsynced archive its id; once this resolves, a crash cannot lose it.
   * @throws ApiError 134 when the disk refuses; the archive is then still at `temporary` or already at its id
   */
  commit(temporary: string, id: number): Promise<void>;
  /** Drops a reserved path; fine when nothing was written, or when it was committed. */
  discard(temporary: string): Promise<void>;
  /** Where the archive can be read. */
  path(id: number): string;
  /**
   * Opens an archive, or `range` of it in bytes, `end` excluded. It can be read to its end even if it is removed
   * meanwhile.
   * @throws ApiError 4 when there is none, 13 for a range without a byte
   */
  open(id: number, range?: { start: number; end: number }): Promise<OpenBlob>;
  /** Bytes of an archive, 0 when there is none. */
  size(id: number): Promise<number>;
  /** Drops an archive; fine when there is none. */
  remove(id: number): Promise<void>;
  /** The ids of all archives, ascending. */
  list(): Promise<number[]>;
  /**
   * Drops what a crash left: reserved paths, and archives of ids that are not known. Only for start-up, when no
   * upload is under way. Answers the names of what it dropped.
   */
  sweep(known: ReadonlySet<number>): Promise<string[]>;
  /** Drops reserved paths that nobody has written to since. Answers the names of what it dropped. */
  sweepUploads(before: Micros): Promise<string[]>;
}
