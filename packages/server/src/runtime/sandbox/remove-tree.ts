// Removes an untrusted file tree: links are not followed, and neither depth nor modes prevent it.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, open, opendir, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { ignore } from '../../platform/errors.ts';
import { O_PATH, pathOf } from './descriptors.ts';

const DIRECTORY = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A limit for trees that somebody keeps adding to. */
const MAX_ROUNDS = 100_000;

/**
 * Does nothing if it does not exist. Directories are held open, never addressed by paths that somebody could change
 * meanwhile; the parent of the tree must be writable for nobody else.
 * @throws the signal's reason once it is aborted: then a part of the tree remains.
 */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  const opened = await openDirectory(path);
  if (!opened) return unlink(path).catch(ignore('ENOENT'));
  await using top = opened;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (await flatten(top, signal)) continue;
    const error = await rmdir(path).catch((failure: NodeJS.ErrnoException) => failure);
    if (!error || error.code === 'ENOENT') return;
    if (error.code !== 'ENOTEMPTY') throw error;
  }
  throw new Error(`${path} is written to while it is removed`);
}

/** Removes one level by moving the contents of subdirectories up. Returns whether there were any. */
async function flatten(top: FileHandle, signal?: AbortSignal): Promise<boolean> {
  let found = false;
  for await (const [name, isDirectory] of entriesOf(top)) {
    signal?.throwIfAborted();
    found = true;
    const handle = isDirectory ? await openDirectory(name) : null;
    if (!handle) {
      await unlink(name).catch(ignore('ENOENT', 'EISDIR'));
      continue;
    }
    await using below = handle;
    for await (const [inner, isInnerDirectory] of entriesOf(below)) {
      signal?.throwIfAborted();
      if (!isInnerDirectory) await unlink(inner).catch(ignore('ENOENT', 'EISDIR'));
      else await liftUp(inner, top);
    }
    await rmdir(name).catch(ignore('ENOENT', 'ENOTEMPTY', 'ENOTDIR'));
  }
  return found;
}

/** Moving a directory requires write permission in it. */
async function liftUp(path: Buffer, top: FileHandle): Promise<void> {
  const handle = await openDirectory(path);
  await handle?.close();
  await rename(path, `${pathOf(top)}/${randomUUID()}`).catch(ignore('ENOENT'));
}

async function* entriesOf(directory: FileHandle): AsyncGenerator<[Buffer, boolean]> {
  const here = pathOf(directory);
  // Names are bytes, not necessarily text.
  for await (const entry of await opendir(here, { encoding: 'buffer' as BufferEncoding })) {
    const name = entry.name as unknown as Buffer;
    yield [Buffer.concat([Buffer.from(`${here}/`), name]), entry.isDirectory()];
  }
}

/** Opens a directory and makes it readable and writable for its owner; null for anything else. */
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
