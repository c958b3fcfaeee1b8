// Opens regular files and directories below a root: no links, no devices, no escape.
import { constants, type Stats } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** An open file or directory; the caller closes it. */
export interface OpenedFile {
  handle: FileHandle;
  stats: Stats;
  /** Absolute, with links above the root resolved; for `reopen`. */
  realPath: string;
}

// Without O_NONBLOCK, opening a fifo would wait for a writer and block a pool thread.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO']);

/**
 * Opens the regular file or directory `relative` below `root`; null if there is none, or if any component is a link.
 * @param relative checked by `readSitePath`
 */
export async function openBelow(root: string, relative: string): Promise<OpenedFile | null> {
  const realRoot = await realpath(root).catch(absentOrThrow);
  if (realRoot === null) return null;
  const realPath = join(realRoot, relative);
  const handle = await reopen(realPath);
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    if (stats.isFile() || stats.isDirectory()) return { handle, stats, realPath };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

/** Reopens a result of `openBelow`; null if it is gone, or a component has become a link. */
export async function reopen(realPath: string): Promise<FileHandle | null> {
  const handle = await open(realPath, FLAGS).catch(absentOrThrow);
  if (handle === null || (await pathOf(handle, realPath)) === realPath) return handle;
  await handle.close();
  return null;
}

function absentOrThrow(error: NodeJS.ErrnoException): null {
  if (ABSENT.has(error.code ?? '')) return null;
  throw error;
}

/** The real path of a descriptor. Asked of the system where possible, so that no replacement goes unnoticed. */
async function pathOf(handle: FileHandle, path: string): Promise<string | null> {
  const link = process.platform === 'linux' ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path);
  return link.catch(() => null);
}
