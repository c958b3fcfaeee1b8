// Makes a tree of files that of an account, however hostile the tree: no link is followed, no file of others is touched.
import { randomUUID } from 'node:crypto';
import { chownSync, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { open, readdir, rename, type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { O_PATH } from './descriptors.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Each level holds a descriptor open. What is deeper is moved to the top: nothing that archives bring is. */
const MAX_DEPTH = 200;
/** Files are given by calls that do not wait, which cost a tenth of those that do; so often others go on. */
const BREATH_MS = 5;

/**
 * Each directory is opened by its name in one that is open already, and never by a path that somebody could change
 * meanwhile. A directory given to the server becomes one that it can remove. A file that has a name elsewhere, too, stays
 * whose it is unless it is of the same owner as the directory.
 * @param mode of the topmost directory; null: as it is
 * @throws when the path names no directory, or has a link in it.
 */
export async function chownTree(path: string, owner: Owner, mode: number | null = null): Promise<void> {
  await using top = await openBelow(path);
  const deep: string[] = [];
  let since = performance.now();

  async function giveDirectory(directory: FileHandle, depth: number): Promise<void> {
    const here = pathOf(directory);
    const { mode, uid } = await directory.stat();
    await directory.chown(owner.uid, owner.gid);
    if ((mode & 0o700) !== 0o700) await directory.chmod((mode & 0o777) | 0o700);
    for (const entry of await readdir(here, { withFileTypes: true, encoding: 'buffer' })) {
      const name = Buffer.concat([Buffer.from(`${here}/`), entry.name]);
      if (!entry.isDirectory()) {
        giveFile(name, owner, uid);
        if (performance.now() - since < BREATH_MS) continue;
        await setImmediate();
        since = performance.now();
      } else if (depth >= MAX_DEPTH) {
        const moved = `${pathOf(top)}/${randomUUID()}`;
        await rename(name, moved).then(() => deep.push(moved), ignoreGone);
      } else {
        const handle = await open(name, DIRECTORY).catch(ignoreGone);
        if (!handle) continue;
        await using below = handle;
        await giveDirectory(below, depth + 1);
      }
    }
  }

  await giveDirectory(top, 0);
  for (let name = deep.pop(); name !== undefined; name = deep.pop()) {
    const handle = await open(name, DIRECTORY).catch(ignoreGone);
    if (!handle) continue;
    await using below = handle;
    await giveDirectory(below, 1);
  }
  if (mode !== null) await top.chmod(mode);
}

/** By a descriptor: what was looked at is what is given. */
function giveFile(name: Buffer, owner: Owner, before: number): void {
  let file;
  try {
    file = openSync(name, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    return ignoreGone(error as NodeJS.ErrnoException);
  }
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory() || (stat.nlink > 1 && stat.uid !== before)) return;
    chownSync(`/proc/self/fd/${file}`, owner.uid, owner.gid);
  } finally {
    closeSync(file);
  }
}

/** @throws when the path names no directory, or has a link in it. */
export async function openBelow(path: string): Promise<FileHandle> {
  let at = await open('/', DIRECTORY);
  for (const part of path.split('/').filter((name) => name !== '')) {
    at = await open(`${pathOf(at)}/${part}`, DIRECTORY).finally(() => at.close());
  }
  return at;
}

function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ELOOP' && error.code !== 'ENOTDIR') throw error;
}
