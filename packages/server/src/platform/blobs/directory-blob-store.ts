// Bundle archives as files in a directory, named by id.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ApiError, errors } from '@pressroom/api/contract';
import { errnoOf } from '../errors.ts';
import type { BlobKey, BlobStore, NewBlob } from './blob-store.ts';

const ARCHIVE = /^([1-9]\d{0,15})\.tar\.gz$/;
const RESERVED = '.upload';

export interface DirectoryBlobStore extends BlobStore {
  /** A path to write an archive before it has an id. */
  reserve(): Promise<NewBlob & { readonly target: string }>;
  /** Path of the archive. */
  path(id: number): string;
  /** Ids of all archives, ascending. */
  list(): Promise<number[]>;
}

/**
 * A store in `directory`, which is created if missing and closed to other users. Temporary files are next to the
 * archives, because a rename is atomic only within one file system.
 * @param owner begins the names of partial uploads, by which `sweepUploads` finds them
 */
export function createDirectoryBlobStore(directory: string, owner = ''): DirectoryBlobStore {
  const root = resolve(directory);
  const prefix = owner === '' ? '' : `${owner}.`;
  let prepared: Promise<void> | null = null;

  async function ready(): Promise<void> {
    prepared ??= prepare(root);
    try {
      await prepared;
    } catch (cause) {
      // Retried with the next call: the disk may be mounted by then.
      prepared = null;
      throw errors.bundleNotWritten({ cause });
    }
  }

  function path(id: number): string {
    // Ids come from the database, but a path must not rely on that.
    if (!Number.isSafeInteger(id) || id < 1) throw errors.invalidId();
    return join(root, `${id}.tar.gz`);
  }

  function reserved({ target }: NewBlob): string {
    if (typeof target !== 'string' || dirname(target) !== root || !target.endsWith(RESERVED)) {
      throw new Error('Not a path that this store reserved.');
    }
    return target;
  }

  /** @throws for an archive of another store, which does not exist here */
  function pathOf({ id, blob }: BlobKey): string {
    if (blob !== null)
      throw errors.notFound({ message: `the archive of bundle ${id} is in an S3 store: Storage.Type` });
    return path(id);
  }

  async function names(): Promise<string[]> {
    await ready();
    return readdir(root);
  }

  return {
    sites: null,
    logs: null,
    path,
    async reserve() {
      await ready();
      return { blob: null, target: join(root, `${prefix}${randomUUID()}${RESERVED}`) };
    },
    async commit(temporary, id) {
      const target = path(id);
      try {
        await rename(reserved(temporary), target);
        await syncDirectory(root);
      } catch (cause) {
        throw errors.bundleNotWritten({ cause });
      }
    },
    discard: async (temporary) => rm(reserved(temporary), { force: true }),
    async open(key, range) {
      if (range !== undefined && !(range.start >= 0 && range.start < range.end)) throw errors.outOfRange();
      const handle = await openArchive(pathOf(key));
      try {
        const { size } = await handle.stat();
        // A stream's `end` is inclusive.
        const bounds = range && { start: range.start, end: range.end - 1 };
        return { stream: handle.createReadStream({ highWaterMark: 256 * 1024, ...bounds }), size };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    async size(key) {
      try {
        return (await stat(pathOf(key))).size;
      } catch (error) {
        if (/^(ENOENT|ENOTDIR)$/.test(errnoOf(error) ?? '') || isNotFound(error)) return 0;
        throw error;
      }
    },
    remove: async (key) => rm(pathOf(key), { force: true }),
    async list() {
      const ids = (await names()).flatMap((name) => idOf(name) ?? []);
      return ids.toSorted((a, b) => a - b);
    },
    async sweep(known) {
      const ids = new Set(known.map(({ id }) => id));
      const dropped = (await names()).filter((name) => {
        const id = idOf(name);
        return id === null ? name.endsWith(RESERVED) : !ids.has(id);
      });
      for (const name of dropped) await rm(join(root, name), { recursive: true, force: true });
      if (dropped.length > 0) await syncDirectory(root);
      return dropped;
    },
    async missing(known) {
      const ids = new Set((await names()).map(idOf));
      return known.filter(({ id, blob }) => blob !== null || !ids.has(id)).map(({ id }) => id);
    },
    hasSome: async () => (await names()).some((name) => idOf(name) !== null),
    async sweepUploads(before, of) {
      const dropped: string[] = [];
      const isOf = (name: string) =>
        name.endsWith(RESERVED) && (of === undefined || name.startsWith(`${of}.`));
      for (const name of (await names()).filter(isOf)) {
        const written = await stat(join(root, name)).catch(() => null);
        if (written === null || written.mtimeMs * 1000 >= before) continue;
        await rm(join(root, name), { force: true });
        dropped.push(name);
      }
      return dropped;
    },
  };
}

/** Whether a directory, which need not exist, has archives. */
export function hasArchives(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).some((name) => idOf(name) !== null);
}

function idOf(name: string): number | null {
  const id = Number(ARCHIVE.exec(name)?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}

async function prepare(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  // An existing directory may have another mode.
  await chmod(root, 0o700);
  await syncDirectory(dirname(root));
}

async function openArchive(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') throw errors.notFound({ cause });
    throw cause;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 4;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
