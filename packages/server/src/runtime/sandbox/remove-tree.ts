// Removes a tree of files, however hostile it is: no link is followed, no depth and no modes keep it.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, open, opendir, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { O_PATH } from './descriptors.ts';

const DIRECTORY = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Whoever still makes files in it as fast as they go does not keep us for ever. */
const MAX_ROUNDS = 100_000;

/**
 * What is not there is removed. Each directory is held open, and never known by a path that somebody could change
 * meanwhile; the one that the tree itself is in must be for nobody else to change.
 */
export async function removeTree(path: string): Promise<void> {
  const opened = await openDirectory(path);
  if (!opened) return unlink(path).catch(ignore('ENOENT'));
  await using top = opened;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (await flatten(top)) continue;
    const error = await rmdir(path).catch((failure: NodeJS.ErrnoException) => failure);
    if (!error || error.code === 'ENOENT') return;
    if (error.code !== 'ENOTEMPTY') throw error;
  }
  throw new Error(`${path} is written to while it is removed`);
}

/** Takes one level away: what is in the directories of this one comes into it. Answers whether there was anything. */
async function flatten(top: FileHandle): Promise<boolean> {
  let found = false;
  for await (const [name, isDirectory] of entriesOf(top)) {
    found = true;
    const handle = isDirectory ? await openDirectory(name) : null;
    if (!handle) {
      await unlink(name).catch(ignore('ENOENT', 'EISDIR'));
      continue;
    }
    await using below = handle;
    for await (const [inner, isInnerDirectory] of entriesOf(below)) {
      if (!isInnerDirectory) await unlink(inner).catch(ignore('ENOENT', 'EISDIR'));
      else await liftUp(inner, top);
    }
    await rmdir(name).catch(ignore('ENOENT', 'ENOTEMPTY', 'ENOTDIR'));
  }
  return found;
}

/** To move a directory is to write into it. */
async function liftUp(path: Buffer, top: FileHandle): Promise<void> {
  const handle = await openDirectory(path);
  await handle?.close();
  await rename(path, `${pathOf(top)}/${randomUUID()}`).catch(ignore('ENOENT'));
}

async function* entriesOf(directory: FileHandle): AsyncGenerator<[Buffer, boolean]> {
  const here = pathOf(directory);
  // Names are bytes, and need not be text.
  for await (const entry of await opendir(here, { encoding: 'buffer' as BufferEncoding })) {
    const name = entry.name as unknown as Buffer;
    yield [Buffer.concat([Buffer.from(`${here}/`), name]), entry.isDirectory()];
  }
}

/** One that its owner may read and change from now on; null for what is none. */
async function openDirectory(path: string | Buffer): Promise<FileHandle | null> {
  const handle = await open(path, DIRECTORY).catch(ignore('ENOENT', 'ENOTDIR', 'ELOOP'));
  if (!handle) return null;
  try {
    const { mode } = await handle.stat();
    if ((mode & 0o700) !== 0o700) await chmod(pathOf(handle), 0o700);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

function ignore(...codes: readonly string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}
