// Unpacks a gzipped archive for the parser of tar, which would unpack all of a piece at once, blocking the event loop.
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The parser unpacks such content, too, without limits: some hundred bytes would keep it busy for minutes. */
export class CompressedAgainError extends Error {
  override readonly name = 'CompressedAgainError';
}

const AT_ONCE = 2 ** 18;
/** First bytes of gzip and Zstandard. */
const MARKS = [Buffer.from([0x1f, 0x8b]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd])];
const LONGEST = Math.max(...MARKS.map(({ length }) => length));

/**
 * The bytes of the tar file. Destroys the archive when its reader stops.
 * @throws CompressedAgainError; errors of unpacking, whose codes begin with `Z_`
 */
export async function* unpackedTar(archive: Readable): AsyncGenerator<Buffer, void, void> {
  const unpacked = createGunzip({ chunkSize: AT_ONCE });
  archive.on('error', (error) => unpacked.destroy(error));
  archive.pipe(unpacked);
  let start: Buffer | null = Buffer.alloc(0);
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      if (start === null) {
        yield chunk;
        continue;
      }
      start = Buffer.concat([start, chunk]);
      if (start.length < LONGEST) continue;
      requirePlain(start);
      yield start;
      start = null;
    }
    if (start !== null) yield start;
  } finally {
    archive.destroy();
  }
}

function requirePlain(start: Buffer): void {
  if (MARKS.some((mark) => start.subarray(0, mark.length).equals(mark)))
    throw new CompressedAgainError('the archive is compressed more than once');
}
