// Streams a bundle: a deterministic tar, compressed on several cores, with its checksum computed in the same pass.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { deflateRaw } from 'node:zlib';
import { wording } from '../../client/failure-texts.ts';
import type { ManifestFile } from '../../contract/manifest/manifest-file.ts';
import { BundleError } from '../collect/bundle-error.ts';
import { comparePaths, refuseCaseCollisions, resolveRoot, type BundleFile } from '../collect/bundle-file.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';
import { gzipStream } from './gzip-stream.ts';
import { BLOCK_BYTES, gzipBlocks } from './parallel-gzip.ts';
import { tarBlocks } from './tar-blocks.ts';

/** Editors in browsers have no zlib. */
const gzip = typeof deflateRaw === 'function' ? gzipBlocks : gzipStream;

export interface PackProgress {
  /** Files read so far, and in total. */
  files: number;
  totalFiles: number;
  /** Bytes of the files read so far, and in total. */
  bytes: number;
  totalBytes: number;
  /** Bytes of the archive produced so far. */
  packed: number;
}

export interface PackOptions {
  /** The directory the files were collected from. */
  root: string;
  files: readonly BundleFile[];
  /** Written as manifest.json at the start of the archive; a manifest.json among `files` is skipped. */
  manifest: ManifestFile;
  /** gzip level, 1 to 9; 4 by default. Ignored in browsers. */
  level?: number;
  /** Blocks compressed concurrently; by default enough for all cores. */
  concurrency?: number | undefined;
  signal?: AbortSignal;
  /** Called for each chunk of the archive, about once per MiB read. */
  onProgress?: (progress: PackProgress) => void;
}

export interface PackedBundle {
  /** The archive (tar.gz). Nothing is read before it is consumed; destroying it stops everything. */
  stream: Readable;
  /**
   * Size in bytes and MD5 (hex) of the whole archive once it has been read to its end. Rejects with the stream's error,
   * after all descriptors are closed; may be ignored.
   */
  done: Promise<{ size: number; md5: string }>;
}

/**
 * Packs listed files. The same files and manifest give the same bytes on every machine. Memory is bounded. The stream
 * fails with a BundleError (`file-changed`, `file-missing`, `unreadable`, `unsafe-path`, `case-collision`,
 * `nothing-to-pack`) or the signal's reason; it never succeeds with a wrong archive.
 */
export function packBundle(options: PackOptions): PackedBundle {
  const { promise: done, resolve, reject } = Promise.withResolvers<{ size: number; md5: string }>();
  done.catch(() => undefined);
  const { signal } = options;
  const md5 = createHash('md5');
  let size = 0;

  async function* hashed(): AsyncGenerator<Buffer, void, undefined> {
    for await (const piece of archive(options, () => size)) {
      md5.update(piece);
      size += piece.length;
      yield piece;
    }
  }

  const stream = Readable.from(hashed(), { objectMode: false, highWaterMark: BLOCK_BYTES });
  const onAbort = (): void => void stream.destroy(asError(signal?.reason));
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  // Aborting destroys the stream with an error, which must not crash callers that only watch `done`.
  stream.on('error', () => undefined);
  stream.once('close', () => {
    signal?.removeEventListener('abort', onAbort);
    if (stream.readableEnded) resolve({ size, md5: md5.digest('hex') });
    else
      reject(
        signal?.aborted === true
          ? signal.reason
          : (stream.errored ?? new Error('The archive was not read completely.')),
      );
  });
  return { stream, done };
}

async function* archive(options: PackOptions, packed: () => number): AsyncGenerator<Buffer, void, undefined> {
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  const files = options.files.filter((file) => file.path !== 'manifest.json').toSorted(comparePaths);
  if (files.length === 0) {
    throw new BundleError('nothing-to-pack', wording(BUNDLE_TEXTS.nothing));
  }
  refuseDuplicates(files);
  refuseCaseCollisions(files);
  const progress = {
    files: 0,
    totalFiles: files.length,
    bytes: 0,
    totalBytes: files.reduce((sum, file) => sum + file.size, 0),
  };
  // Blocks are reused: new ones would grow the process until the next garbage collection.
  const free: Buffer[] = [];
  const tar = tarBlocks({
    root: await resolveRoot(options.root),
    first: [{ path: 'manifest.json', data: Buffer.from(`${JSON.stringify(options.manifest, null, 2)}\n`) }],
    files,
    ...(signal === undefined ? {} : { signal }),
    allocate: () => free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES),
    onFile: (file) => {
      progress.files += 1;
      progress.bytes += file.size;
    },
  });
  const pieces = gzip(tar, {
    ...(options.level === undefined ? {} : { level: options.level }),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    ...(signal === undefined ? {} : { signal }),
    release: (block) => {
      if (block.length === BLOCK_BYTES) free.push(block);
    },
  });
  for await (const piece of pieces) {
    yield piece;
    onProgress?.({ ...progress, packed: packed() });
  }
}

function refuseDuplicates(files: readonly BundleFile[]): void {
  const twice = files.find((file, index) => file.path === files[index - 1]?.path);
  if (twice === undefined) return;
  throw new BundleError('unsafe-path', wording(BUNDLE_TEXTS.listedTwice, twice.path), {
    paths: [twice.path],
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('Packing was cancelled.', { cause: reason });
}
