// Bundle archives as files of one directory, named by their id.
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { errnoOf } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';

const ARCHIVE = /^([1-9]\d{0,15})\.tar\.gz$/;
const RESERVED = '.upload';

/**
 * A store in `directory`, which is made where it is missing and closed to other users. Temporary files lie beside
 * the archives, because a rename is atomic only within one file system.
 */
export function createDirectoryBlobStore(directory: string): BlobStore {
  const root = resolve(directory);
  let prepared: Promise<void> | null = null;

  async function ready(): Promise<void> {
    prepared ??= prepare(root);
    try {
      await prepared;
    } catch (cause) {
      // The disk may be there next time.
      prepared = null;
      throw errors.bundleNotWritten({ cause });
    }
  }

  function path(id: number): string {
    // Ids come from the database, but a path must not depend on that.
    if (!Number.isSafeInteger(id) || id < 1) throw errors.invalidId();
    return join(root, `${id}.tar.gz`);
  }

  function reserved(temporary: string): string {
    if (dirname(temporary) !== root || !temporary.endsWith(RESERVED)) {
      throw new Error('Not a path that this store reserved.');
    }
    return temporary;
  }

  async function names(): Promise<string[]> {
    await ready();
    return readdir(root);
  }

  return {
    path,
    async reserve() {
      await ready();
      return join(root, `${randomUUID()}${RESERVED}`);
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
    async open(id, range) {
      if (range !== undefined && !(range.start >= 0 && range.start < range.end)) throw errors.outOfRange();
      const handle = await openArchive(path(id));
      try {
        const { size } = await handle.stat();
        // A stream's `end` is the last byte itself.
        const bounds = range && { start: range.start, end: range.end - 1 };
        return { stream: handle.createReadStream({ highWaterMark: 256 * 1024, ...bounds }), size };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    async size(id) {
      try {
        return (await stat(path(id))).size;
      } catch (error) {
        if (/^(ENOENT|ENOTDIR)$/.test(errnoOf(error) ?? '')) return 0;
        throw error;
      }
    },
    remove: async (id) => rm(path(id), { force: true }),
    async list() {
      const ids = (await names()).flatMap((name) => idOf(name) ?? []);
      return ids.toSorted((a, b) => a - b);
    },
    async sweep(known) {
      const dropped = (await names()).filter((name) => {
        const id = idOf(name);
        return id === null ? name.endsWith(RESERVED) : !known.has(id);
      });
      for (const name of dropped) await rm(join(root, name), { recursive: true, force: true });
      if (dropped.length > 0) await syncDirectory(root);
      return dropped;
    },
    async sweepUploads(before) {
      const dropped: string[] = [];
      for (const name of (await names()).filter((one) => one.endsWith(RESERVED))) {
        const written = await stat(join(root, name)).catch(() => null);
        if (written === null || written.mtimeMs * 1000 >= before) continue;
        await rm(join(root, name), { force: true });
        dropped.push(name);
      }
      return dropped;
    },
  };
}

function idOf(name: string): number | null {
  const id = Number(ARCHIVE.exec(name)?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}

async function prepare(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  // It may have been there before, with other bits.
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

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
