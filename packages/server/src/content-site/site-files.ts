// Opens files below a root, and nothing else: no links, no devices, no way out.
import { constants, type Stats } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** An open file or directory; the caller closes it. */
export interface OpenedFile {
  handle: FileHandle;
  stats: Stats;
}

// Without O_NONBLOCK, opening a fifo would wait for a writer and take a thread of the pool with it.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO']);

/**
 * Opens the regular file or directory `relative` below `root`; null when there is none, or when any part of the way
 * is a link.
 * @param relative vetted by `readSitePath`
 */
export async function openBelow(root: string, relative: string): Promise<OpenedFile | null> {
  let handle: FileHandle;
  let realRoot: string;
  try {
    realRoot = await realpath(root);
    handle = await open(join(realRoot, relative), FLAGS);
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  try {
    const stats = await handle.stat();
    const path = join(realRoot, relative);
    if ((stats.isFile() || stats.isDirectory()) && (await pathOf(handle, path)) === path)
      return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

/** Where the descriptor really is. Asked of the descriptor where the system can tell, so that no swap goes unseen. */
async function pathOf(handle: FileHandle, path: string): Promise<string | null> {
  const link = process.platform === 'linux' ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path);
  return link.catch(() => null);
}
