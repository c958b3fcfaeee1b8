// Writes checked entries into a new directory: small files several at a time, large ones chunk by chunk.
import { constants } from 'node:fs';
import { chmod, mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskRoom } from './disk-room.ts';
import type { ArchiveEntry } from './entry-rules.ts';
import { cannotWrite } from './refusals.ts';
import type { EntrySink } from './tar-reader.ts';

export interface WrittenTree {
  files: number;
  directories: number;
  /** Bytes of all files together. */
  bytes: number;
}

/** A sink that writes below one directory. */
export interface TreeWriter extends EntrySink {
  /** Waits for the files still being written. @throws ApiError 134 */
  close(): Promise<WrittenTree>;
  /** Waits, ignoring failures; for cleaning up. */
  settle(): Promise<void>;
}

/** Files up to this size are buffered and written in the background. */
const SMALL_FILE = 256 * 1024;
const FILES_AT_ONCE = 16;
const HELD_BYTES = 4 * 1024 * 1024;

/**
 * A writer below `root`, which must be new and used by this writer only. Paths cannot escape it: the rules refuse "..",
 * absolute paths and links, every parent directory was created here, and files are created with O_EXCL and O_NOFOLLOW.
 */
export async function createTreeWriter(root: string, room: DiskRoom): Promise<TreeWriter> {
  // A umask removes mode bits from open and mkdir; reading it would mean setting it.
  const masked = ((await stat(root)).mode & 0o777) !== 0o755;
  if (masked) await chmod(root, 0o755);
  const written: WrittenTree = { files: 0, directories: 0, bytes: 0 };
  const running = new Set<Promise<void>>();
  let runningBytes = 0;
  let failure: { error: unknown } | null = null;
  let entry: ArchiveEntry | null = null;
  let pieces: Buffer[] = [];
  let large: { handle: FileHandle; entry: ArchiveEntry } | null = null;

  async function begin(next: ArchiveEntry): Promise<void> {
    throwIfFailed();
    entry = next;
    pieces = [];
    await guarded(async () => {
      await room.take(next.size);
      for (const directory of next.newDirectories) await makeDirectory(directory);
      if (next.type === 'file' && next.size > SMALL_FILE) large = { handle: await create(next), entry: next };
    });
  }

  async function data(piece: Buffer): Promise<void> {
    if (large === null) {
      pieces.push(piece);
      return;
    }
    const { handle } = large;
    await guarded(() => writeAll(handle, piece));
  }

  async function finish(): Promise<void> {
    if (entry === null || entry.type === 'directory') return;
    written.files += 1;
    written.bytes += entry.size;
    if (large !== null) {
      await guarded(closeLarge);
      return;
    }
    start(entry, pieces);
    while (running.size >= FILES_AT_ONCE || runningBytes > HELD_BYTES) await Promise.race(running);
  }

  function start(small: ArchiveEntry, content: Buffer[]): void {
    runningBytes += small.size;
    const task = writeSmall(small, content)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        running.delete(task);
        runningBytes -= small.size;
      });
    running.add(task);
  }

  async function writeSmall(small: ArchiveEntry, content: Buffer[]): Promise<void> {
    const handle = await create(small);
    try {
      if (small.size > 0) await writeAll(handle, content.length === 1 ? content[0]! : Buffer.concat(content));
    } finally {
      await handle.close();
    }
  }

  async function makeDirectory(path: string): Promise<void> {
    const absolute = join(root, path);
    await mkdir(absolute, 0o755);
    if (masked) await chmod(absolute, 0o755);
    written.directories += 1;
  }

  async function create(file: ArchiveEntry): Promise<FileHandle> {
    const mode = file.executable ? 0o755 : 0o644;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(join(root, file.path), flags, mode);
    if (masked) await handle.chmod(mode);
    return handle;
  }

  async function closeLarge(): Promise<void> {
    const handle = large?.handle;
    large = null;
    await handle?.close();
  }

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      failure ??= { error };
      throwIfFailed();
    }
  }

  function throwIfFailed(): void {
    if (failure !== null) throw cannotWrite(failure.error);
  }

  async function settle(): Promise<void> {
    await Promise.all(running);
    await closeLarge().catch(() => {});
  }

  async function close(): Promise<WrittenTree> {
    await settle();
    throwIfFailed();
    return written;
  }

  return { begin, data, finish, close, settle };
}

/** write(2) may be partial, for example when the disk is almost full. */
async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let at = 0;
  while (at < bytes.length) at += (await handle.write(bytes, at)).bytesWritten;
}
