// gzip with the platform's CompressionStream, which browsers have, too.
import type { GzipOptions } from './parallel-gzip.ts';

/** Like gzipBlocks; the platform chooses the level and buffering. */
export async function* gzipStream(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  { signal, release }: Pick<GzipOptions, 'signal' | 'release'> = {},
): AsyncGenerator<Buffer, void, undefined> {
  const { readable, writable } = new CompressionStream('gzip');
  const writer = writable.getWriter();
  const reader = readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;

  async function feed(): Promise<void> {
    for await (const block of source) {
      signal?.throwIfAborted();
      // A copy: the block is filled again as soon as it is released.
      await writer.write(Uint8Array.from(block));
      release?.(block);
    }
    await writer.close();
  }

  // The reader gets the source's error.
  const feeding = feed().catch((error: unknown) => writer.abort(error).catch(() => undefined));
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
    await feeding;
  }
}
