// The archive as a request body: counts its bytes, and separates its own failure from the connection's.
import { Readable } from 'node:stream';

export interface UploadSource {
  /** What to send. */
  stream: Readable;
  /** Why reading the archive failed, or undefined. */
  failure(): unknown;
  /** Stops reading the archive; harmless after its end. */
  release(): void;
}

const HIGH_WATER_MARK = 1024 * 1024;

/** @param onProgress called with the bytes passed on so far. */
export function countedArchive(
  archive: Readable | Uint8Array,
  onProgress?: (bytes: number) => void,
): UploadSource {
  let failure: unknown;
  const source = archive instanceof Readable ? archive : Readable.from([archive], { objectMode: false });

  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    let bytes = 0;
    for (;;) {
      let next: IteratorResult<Uint8Array>;
      try {
        next = await iterator.next();
      } catch (error) {
        // Only here: a broken connection destroys the stream below, which must not count as a broken archive.
        if (!released) failure = error;
        throw error;
      }
      if (next.done === true) return;
      bytes += next.value.byteLength;
      onProgress?.(bytes);
      yield next.value;
    }
  }

  let released = false;
  const stream = Readable.from(counted(), { objectMode: false, highWaterMark: HIGH_WATER_MARK });
  // The request reports the failure; a second report as an event would end the process.
  stream.on('error', () => undefined);
  source.on('error', () => undefined);
  return {
    stream,
    failure: () => failure,
    release() {
      released = true;
      stream.destroy();
      source.destroy();
    },
  };
}
