// Makes a tree of files that of an account, however hostile the tree: no link is followed, no file of others is touched.
import { constants } from 'node:fs';
import { lchown, open, readdir, type FileHandle } from 'node:fs/promises';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Each directory is opened by its name in one that is open already, and never by a path that somebody could change
 * meanwhile. A directory given to the server becomes one that it can remove.
 * @param mode of the topmost directory; null: as it is
 * @throws when the path names no directory, or has a link in it.
 */
export async function giveTree(path: string, owner: Owner, mode: number | null = null): Promise<void> {
  await using root = await openBelow(path);
  await giveDirectory(root, owner);
  if (mode !== null) await root.chmod(mode);
}

async function giveDirectory(directory: FileHandle, owner: Owner): Promise<void> {
  const here = `/proc/self/fd/${directory.fd}`;
  await directory.chown(owner.uid, owner.gid);
  const { mode } = await directory.stat();
  if ((mode & 0o700) !== 0o700) await directory.chmod((mode & 0o777) | 0o700);
  for (const entry of await readdir(here, { withFileTypes: true, encoding: 'buffer' })) {
    const name = Buffer.concat([Buffer.from(`${here}/`), entry.name]);
    if (!entry.isDirectory()) {
      await lchown(name, owner.uid, owner.gid).catch(ignoreGone);
      continue;
    }
    const handle = await open(name, DIRECTORY).catch(ignoreGone);
    if (!handle) continue;
    await using below = handle;
    await giveDirectory(below, owner);
  }
}

async function openBelow(path: string): Promise<FileHandle> {
  let at = await open('/', DIRECTORY);
  for (const part of path.split('/').filter((name) => name !== '')) {
    at = await open(`/proc/self/fd/${at.fd}/${part}`, DIRECTORY).finally(() => at.close());
  }
  return at;
}

function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ELOOP' && error.code !== 'ENOTDIR') throw error;
}
