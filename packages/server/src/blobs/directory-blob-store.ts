// Bundle archives as files of one directory, named by their id.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from './index.ts';

const ARCHIVE = /^(\d+)\.tar\.gz$/;

export function createDirectoryBlobStore(directory: string): BlobStore {
  const path = (id: number) => join(directory, `${id}.tar.gz`);
  const ready = mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    path,
    async reserve() {
      await ready;
      return join(directory, `${randomUUID()}.upload`);
    },
    async commit(temporary, id) {
      await rename(temporary, path(id));
      await syncDirectory(directory);
    },
    discard: (temporary) => rm(temporary, { force: true }),
    remove: (id) => rm(path(id), { force: true }),
    async sweep(known) {
      await ready;
      const orphans = (await readdir(directory)).filter((name) => {
        const id = ARCHIVE.exec(name)?.[1];
        return id === undefined || !known.has(Number(id));
      });
      for (const name of orphans) await rm(join(directory, name), { recursive: true, force: true });
      return orphans;
    },
  };
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
