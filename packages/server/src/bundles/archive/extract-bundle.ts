// Extracts a stored bundle into a fresh directory that its archive cannot leave.
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createBundleWalker } from './bundle-walker.ts';
import { createDiskRoom } from './disk-room.ts';
import type { ArchiveEntry } from './entry-rules.ts';
import { flushTree } from './flush-tree.ts';
import type { ArchiveLimits } from './limits.ts';
import { createEncodingCheck, type EncodingCheck } from './not-utf8.ts';
import { badArchive, cannotWrite } from './refusals.ts';
import type { EntrySink } from './tar-reader.ts';
import { createTreeWriter, type TreeWriter, type WrittenTree } from './tree-writer.ts';

export interface ExtractBundleOptions {
  /** The stored bundle: its path, or a function that opens it. */
  file: string | (() => Promise<Readable>);
  /** Target; must not exist, its parent must. */
  directory: string;
  limits: ArchiveLimits;
  signal?: AbortSignal | undefined;
  /** Paths of the files that should be UTF-8; absent for none. */
  texts?: RegExp | undefined;
  /** Called for each entry before it is written; for progress. */
  onEntry?: ((entry: Pick<ArchiveEntry, 'path' | 'type' | 'size'>) => void) | undefined;
}

export interface ExtractedBundle extends WrittenTree {
  /** Paths of `texts` that are not UTF-8; the first ones. */
  readonly notUtf8: readonly string[];
}

/** Matches no path. */
const NONE = /(?!)/;
/** Compressed bytes read at once. */
const READ_BYTES = 256 * 1024;

/**
 * Extracts `file` to `directory`: files get mode 0644, or 0755 where the archive has the owner's execute bit;
 * directories 0755; the times are those of extraction, so that browsers see new content as new (contract,
 * section 4.3, deploy rule 5). When it resolves, all of it is on disk. On failure or abort the directory is gone.
 * @throws ApiError 135 when the archive breaks a rule, 134 when the disk refuses; `signal.reason` when aborted
 */
export async function extractBundle(options: ExtractBundleOptions): Promise<ExtractedBundle> {
  const { directory, signal, texts = NONE } = options;
  signal?.throwIfAborted();
  try {
    await mkdir(directory, 0o755);
  } catch (cause) {
    throw cannotWrite(cause);
  }
  let writer: TreeWriter | null = null;
  try {
    writer = await createTreeWriter(directory, createDiskRoom(directory, options.limits.diskReserve));
    const encoding = createEncodingCheck(texts);
    await walk(options, writer, encoding);
    const written = await writer.close();
    signal?.throwIfAborted();
    await flush(directory, written);
    signal?.throwIfAborted();
    return { ...written, notUtf8: encoding.found };
  } catch (error) {
    await writer?.settle();
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function walk(
  { file, limits, signal, onEntry }: ExtractBundleOptions,
  writer: TreeWriter,
  encoding: EncodingCheck,
): Promise<void> {
  const sink: EntrySink = {
    begin: (entry) => {
      onEntry?.({ path: entry.path, type: entry.type, size: entry.size });
      encoding.begin(entry);
      return writer.begin(entry);
    },
    data(piece) {
      encoding.data(piece);
      return writer.data(piece);
    },
    finish() {
      encoding.finish();
      return writer.finish();
    },
  };
  const walker = createBundleWalker(limits, sink);
  try {
    const source =
      typeof file === 'string' ? createReadStream(file, { highWaterMark: READ_BYTES }) : await file();
    for await (const chunk of source) {
      signal?.throwIfAborted();
      if (walker.failed()) break;
      await walker.write(chunk as Buffer);
    }
    await walker.end();
  } catch (error) {
    await walker.cancel();
    throw isSystemError(error) ? badArchive('the stored archive cannot be read', error) : error;
  }
}

async function flush(directory: string, written: WrittenTree): Promise<void> {
  try {
    await flushTree(directory, written.files);
  } catch (cause) {
    throw cannotWrite(cause);
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
