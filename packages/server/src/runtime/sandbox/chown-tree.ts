// Changes the owner of an untrusted file tree safely: no links are followed, no files of others are changed.
import { randomUUID } from 'node:crypto';
import { chownSync, closeSync, constants, fstatSync, opendirSync, openSync } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { O_PATH, pathOf } from './descriptors.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Each level holds two file descriptors. Deeper directories are moved to the top: no archive creates such. */
const MAX_DEPTH = 200;
/** Entries read at once: content may create more than fit in memory. */
const ENTRIES = 256;
/** Synchronous calls cost a tenth of asynchronous ones; milliseconds until the event loop gets a turn. */
const BREATH_MS = 5;

/**
 * Each directory is opened relative to its open parent, never by a path that somebody could change meanwhile. A
 * directory given to the server becomes removable. A file with several hard links keeps its owner unless it has the
 * owner of the directory.
 * @param mode of the topmost directory; null to keep it
 * @throws if the path is no directory, or contains a link.
 */
export async function chownTree(path: string, owner: Owner, mode: number | null = null): Promise<void> {
  await using top = await openBelow(path);
  const deep: string[] = [];
  let since = performance.now();

  async function giveDirectory(directory: FileHandle, depth: number): Promise<void> {
    const { mode, uid } = await directory.stat();
    await directory.chown(owner.uid, owner.gid);
    if ((mode & 0o700) !== 0o700) await directory.chmod((mode & 0o777) | 0o700);
    for (const [name, isDirectory] of entriesOf(directory)) {
      if (!isDirectory) {
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

function* entriesOf(directory: FileHandle): Generator<[Buffer, boolean]> {
  const here = pathOf(directory);
  // Names are bytes, not necessarily text.
  using opened = opendirSync(here, { encoding: 'buffer' as BufferEncoding, bufferSize: ENTRIES });
  for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
    const name = entry.name as unknown as Buffer;
    yield [Buffer.concat([Buffer.from(`${here}/`), name]), entry.isDirectory()];
  }
}

/** By descriptor: exactly the checked file is changed. */
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

/** @throws if the path is no directory, or contains a link. */
export async function openBelow(path: string): Promise<FileHandle> {
  let at = await open('/', DIRECTORY);
  for (const part of path.split('/').filter((name) => name !== '')) {
    at = await open(`${pathOf(at)}/${part}`, DIRECTORY).finally(() => at.close());
  }
  return at;
}

function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ELOOP' && error.code !== 'ENOTDIR') throw error;
}
