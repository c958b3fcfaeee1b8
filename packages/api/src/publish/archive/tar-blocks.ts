// The uncompressed archive as a sequence of equal blocks, filled directly from the files.
import { Header } from 'tar/header';
import { Pax } from 'tar/pax';
import type { BundleFile } from '../collect/bundle-file.ts';
import { changed, closeFile, openListed, readFully, verifyListed } from '../collect/open-file.ts';
import { createSmallFileReader, isSmall } from '../collect/small-files.ts';
import { BLOCK_BYTES } from './parallel-gzip.ts';

const RECORD_BYTES = 512;

/** A file in memory, such as the manifest. */
export interface MemoryFile {
  path: string;
  data: Buffer;
}

export interface TarSource {
  /** Resolved root directory. */
  root: string;
  /** Written before the files. */
  first: readonly MemoryFile[];
  files: readonly BundleFile[];
  signal?: AbortSignal;
  /** Called after each file. */
  onFile?: (file: BundleFile) => void;
  /** A buffer of BLOCK_BYTES to fill; a new one by default. */
  allocate?: () => Buffer;
}

/**
 * Yields the archive in blocks of BLOCK_BYTES (the last one shorter). Entries are regular files without owner and time.
 * Throws BundleError (`file-changed`, `file-missing`, `unreadable`, `unsafe-path`) or the signal's reason; leaves no
 * descriptor open.
 */
export async function* tarBlocks(source: TarSource): AsyncGenerator<Buffer, void, undefined> {
  const { root, files, signal } = source;
  const allocate = source.allocate ?? (() => Buffer.allocUnsafe(BLOCK_BYTES));
  const reader = createSmallFileReader(root, files);
  const entryHeader = createEntryHeaders();
  let block = allocate();
  let used = 0;

  /** Copies bytes into the current block unless it becomes full: a generator for each would cost more. */
  function fits(data: Buffer): boolean {
    if (used + data.length >= BLOCK_BYTES) return false;
    used += data.copy(block, used);
    return true;
  }

  function* flushIfFull(): Generator<Buffer, void, undefined> {
    if (used < BLOCK_BYTES) return;
    yield block;
    block = allocate();
    used = 0;
  }

  /** Copies bytes into blocks; yields those that become full. */
  function* append(data: Buffer): Generator<Buffer, void, undefined> {
    for (let from = 0; from < data.length;) {
      const count = data.copy(block, used, from);
      from += count;
      used += count;
      yield* flushIfFull();
    }
  }

  /** Reads a large file into blocks directly; yields those that become full. */
  async function* appendFile(file: BundleFile): AsyncGenerator<Buffer, void, undefined> {
    const descriptor = await openListed(root, file);
    try {
      yield* append(entryHeader(file.path, file.size, file.mode));
      for (let position = 0; position < file.size;) {
        signal?.throwIfAborted();
        const wanted = Math.min(file.size - position, BLOCK_BYTES - used);
        if ((await readFully(descriptor, block, used, wanted, position)) < wanted) throw changed(file.path);
        position += wanted;
        used += wanted;
        yield* flushIfFull();
      }
      // Checks size and time again: a file written to while it was read would be a mixture.
      await verifyListed(descriptor, file);
    } finally {
      await closeFile(descriptor);
    }
  }

  try {
    for (const { path, data } of source.first) {
      yield* append(entryHeader(path, data.length, 0o644));
      yield* append(data);
      yield* append(padding(data.length));
    }
    for (const [index, file] of files.entries()) {
      signal?.throwIfAborted();
      if (isSmall(file)) {
        const data = await reader.read(index);
        for (const piece of [entryHeader(file.path, file.size, file.mode), data])
          if (!fits(piece)) yield* append(piece);
      } else yield* appendFile(file);
      const rest = padding(file.size);
      if (!fits(rest)) yield* append(rest);
      source.onFile?.(file);
    }
    yield* append(Buffer.alloc(2 * RECORD_BYTES));
    if (used > 0) yield block.subarray(0, used);
  } finally {
    await reader.close();
  }
}

const ZEROS = Buffer.alloc(RECORD_BYTES);

function padding(size: number): Buffer {
  return ZEROS.subarray(0, (RECORD_BYTES - (size % RECORD_BYTES)) % RECORD_BYTES);
}

/**
 * Creates ustar headers, with a pax header before it if the path or the size does not fit. Each must be copied before
 * the next: a new header object per entry took as long as reading the file.
 */
function createEntryHeaders(): (path: string, size: number, mode: number) => Buffer {
  const header = new Header({ type: 'File', uid: 0, gid: 0, mtime: new Date(0) });
  const record = Buffer.alloc(RECORD_BYTES);
  return (path, size, mode) => {
    Object.assign(header, { path, size, mode });
    if (!header.encode(record, 0)) return record;
    return Buffer.concat([new Pax({ path, size }).encode(), record]);
  };
}
