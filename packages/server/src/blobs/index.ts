// Where bundle archives are kept: a port, and the directory that fills it by default.
export { createDirectoryBlobStore } from './directory-blob-store.ts';

export interface BlobStore {
  /** A path to write an archive to before it has an id. */
  reserve(): Promise<string>;
  /** Gives a written archive its id; once this resolves, a crash cannot lose it. */
  commit(temporary: string, id: number): Promise<void>;
  /** Drops a reserved path; fine when nothing was written. */
  discard(temporary: string): Promise<void>;
  /** Where the archive can be read. */
  path(id: number): string;
  remove(id: number): Promise<void>;
  /** Drops reserved paths and archives of ids that are not known; answers their names. */
  sweep(known: ReadonlySet<number>): Promise<string[]>;
}
