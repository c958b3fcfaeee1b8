// Copies what code of content left behind into a directory of the server's own: regular files only, and bounded.
import { constants } from 'node:fs';
import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiError, errors } from '@pressroom/api/contract';

export interface OutputLimits {
  readonly files: number;
  readonly bytes: number;
}

export interface CollectOptions {
  readonly limits?: OutputLimits;
  readonly signal?: AbortSignal;
  /** Told of what is left out: links, devices, pipes; at most a few lines. */
  readonly print?: (line: string) => void;
}

export const OUTPUT_LIMITS: OutputLimits = { files: 100_000, bytes: 10 * 2 ** 30 };
const MAX_DEPTH = 64;
const MAX_TOLD = 10;
/** A symbolic link in the place of a file is refused, and a pipe does not hold the server up. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/**
 * Copies a tree that hostile code may have written, and may still be able to change: nothing that it links to is
 * read, and the copies are new files of the server's account, 0644 or 0755, never hard links.
 * @param to is made, and must not exist.
 * @throws ApiError 1 when there is more than the limits allow.
 */
export async function collectOutput(
  from: string,
  to: string,
  { limits = OUTPUT_LIMITS, signal, print = () => undefined }: CollectOptions = {},
): Promise<OutputLimits> {
  let files = 0;
  let bytes = 0;
  let told = 0;
  const buffer = Buffer.allocUnsafe(2 ** 20);

  function leaveOut(path: string, why: string): void {
    told += 1;
    if (told <= MAX_TOLD) print(`${JSON.stringify(path)} is left out: it is ${why}`);
    else if (told === MAX_TOLD + 1) print('More files were skipped.');
  }

  async function copyFile(source: FileHandle, target: string): Promise<void> {
    const stat = await source.stat();
    files += 1;
    if (files > limits.files) throw tooMuch(`more than ${limits.files} files`);
    await using copy = await open(target, 'wx', stat.mode & 0o111 ? 0o755 : 0o644);
    // What it had when it was opened: it must not grow without end while it is read.
    bytes += stat.size;
    if (bytes > limits.bytes) throw tooMuch(`more than ${limits.bytes} bytes`);
    for (let at = 0; at < stat.size;) {
      signal?.throwIfAborted();
      const length = Math.min(buffer.length, stat.size - at);
      const { bytesRead } = await source.read(buffer, 0, length, at);
      if (bytesRead === 0) break;
      await copy.writeFile(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  }

  /** @param held `directory` by a path that no rename of its parents can lead elsewhere. */
  async function copyDirectory(held: string, target: string, path: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw tooMuch(`directories more than ${MAX_DEPTH} deep`);
    await mkdir(target, { mode: 0o755 });
    const entries = await readdir(held, { withFileTypes: true });
    for (const entry of entries) {
      signal?.throwIfAborted();
      const name = join(path, entry.name);
      const directory = entry.isDirectory();
      if (!directory && !entry.isFile()) {
        leaveOut(name, entry.isSymbolicLink() ? 'a symbolic link' : 'not a regular file');
        continue;
      }
      const handle = await open(join(held, entry.name), directory ? DIRECTORY_FLAGS : OPEN_FLAGS).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ELOOP' || error.code === 'ENOTDIR' || error.code === 'ENXIO') return null;
          throw error;
        },
      );
      if (!handle) {
        leaveOut(name, 'not a regular file any more');
        continue;
      }
      await using opened = handle;
      if (directory) {
        await copyDirectory(`/proc/self/fd/${opened.fd}`, join(target, entry.name), name, depth + 1);
      } else if ((await opened.stat()).isFile()) await copyFile(opened, join(target, entry.name));
      else leaveOut(name, 'not a regular file any more');
    }
  }

  await using top = await open(from, DIRECTORY_FLAGS);
  await copyDirectory(`/proc/self/fd/${top.fd}`, to, '', 0);
  return { files, bytes };
}

function tooMuch(what: string): ApiError {
  return errors.internal({ message: `there is too much output: ${what}` });
}
