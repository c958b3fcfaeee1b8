// gzip on several cores: blocks deflated concurrently in libuv's pool and joined into one gzip member.
import { availableParallelism } from 'node:os';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { looksIncompressible, storedBlocks } from './incompressible.ts';

/** Block size for sources, in bytes. */
export const BLOCK_BYTES = 1024 * 1024;

/** Deflate's window: each block is primed with the end of the one before. */
const WINDOW_BYTES = 32 * 1024;

const DEFAULT_LEVEL = 4;

// Magic, deflate, no flags, no time, no extra flags, and "unknown" as operating system: the same bytes everywhere.
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

// One empty, final block with fixed codes ends a deflate stream whose last block was sync-flushed.
const END_OF_DEFLATE = Buffer.from([0x03, 0x00]);

export interface GzipOptions {
  /** 1 (fast) to 9 (small); 4 by default. */
  level?: number;
  /** Blocks held at the same time; one more than there are cores, at most 8, by default. */
  concurrency?: number;
  signal?: AbortSignal;
  /** Called when a source block is no longer needed, so that it can be reused. */
  release?: (block: Buffer) => void;
}

/**
 * Compresses a sequence of non-empty blocks into one gzip member. Holds at most `concurrency` blocks. A source block
 * must not change until it is released. The bytes depend on blocks and level only, not on timing. Ends only after all
 * started work; throws the source's error or the signal's reason.
 */
export async function* gzipBlocks(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  options: GzipOptions = {},
): AsyncGenerator<Buffer, void, undefined> {
  const { level = DEFAULT_LEVEL, signal, release } = options;
  const concurrency = options.concurrency ?? Math.min(8, availableParallelism() + 1);
  const running: Promise<Buffer>[] = [];
  let checksum = 0;
  let size = 0;
  let window: Buffer | undefined;
  try {
    yield HEADER;
    for await (const block of source) {
      signal?.throwIfAborted();
      checksum = crc32(block, checksum);
      size += block.length;
      const dictionary = window;
      window = nextWindow(window, block);
      const job = deflateBlock(block, dictionary, level).finally(() => release?.(block));
      // The failure surfaces when the job's turn comes; until then it must not count as unhandled.
      job.catch(() => undefined);
      running.push(job);
      while (running.length >= concurrency) yield await (running.shift() as Promise<Buffer>);
      signal?.throwIfAborted();
    }
    for (let job = running.shift(); job !== undefined; job = running.shift()) yield await job;
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(checksum, 0);
    trailer.writeUInt32LE(size % 2 ** 32, 4);
    yield Buffer.concat([END_OF_DEFLATE, trailer]);
  } finally {
    await Promise.allSettled(running);
  }
}

async function deflateBlock(block: Buffer, dictionary: Buffer | undefined, level: number): Promise<Buffer> {
  if (await looksIncompressible(block)) return storedBlocks(block);
  return new Promise((resolve, reject) => {
    deflateRaw(
      block,
      {
        level,
        // Enough for the result of ordinary data: each further chunk is another trip through the pool.
        chunkSize: Math.max(1024, block.length >> 1),
        finishFlush: constants.Z_SYNC_FLUSH,
        ...(dictionary === undefined ? {} : { dictionary }),
      },
      (error, result) => {
        if (error === null) resolve(result);
        else reject(error);
      },
    );
  });
}

/** A copy of the last 32 KiB, so that the block itself can be released. */
function nextWindow(before: Buffer | undefined, block: Buffer): Buffer {
  if (block.length >= WINDOW_BYTES || before === undefined) {
    return Buffer.from(block.subarray(Math.max(0, block.length - WINDOW_BYTES)));
  }
  const joined = Buffer.concat([before, block]);
  return joined.subarray(Math.max(0, joined.length - WINDOW_BYTES));
}
