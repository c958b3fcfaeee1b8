// Removes the work of servers that are gone, while others use the data directory.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { holdLeft } from '../platform/held-directory.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';

/** Prefix of the names of directories that belong to one server. */
export const SERVER = 'server-';

export interface Leftovers {
  readonly blobs: Pick<BlobStore, 'sweepUploads'>;
  readonly paths: { readonly sharedWork: string; readonly sharedUnpacking: string };
  readonly launcher: Pick<Launcher, 'remove'>;
  readonly log: Logger;
}

/** A server that only lost its database keeps its lock, and so its files. */
export async function removeLeft({ blobs, paths, launcher, log }: Leftovers): Promise<void> {
  for (const name of await readdir(paths.sharedWork).catch(() => [])) {
    if (!name.startsWith(SERVER)) continue;
    using left = holdLeft(join(paths.sharedWork, name));
    if (left === null) continue;
    const uploads = await blobs.sweepUploads(Infinity, name);
    await launcher.remove(join(paths.sharedUnpacking, name));
    // Last: it has the lock, by which the rest is found.
    await launcher.remove(join(paths.sharedWork, name));
    log.info({ server: name, uploads }, 'removed the work of a server that is gone');
  }
}
