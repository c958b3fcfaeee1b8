import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gzipStream } from './gzip-stream.ts';
import { BLOCK_BYTES } from './parallel-gzip.ts';

/** Refills and yields the same buffer, as packing does. */
async function* blocks(count: number, ended: () => void): AsyncGenerator<Buffer> {
  const free: Buffer[] = [Buffer.alloc(BLOCK_BYTES)];
  try {
    for (let index = 0; index < count; index += 1) yield (free[0] as Buffer).fill(index);
  } finally {
    ended();
  }
}

test('returns the blocks unchanged though each is refilled after its release', async () => {
  let released = 0;
  const pieces = await Array.fromAsync(
    gzipStream(
      blocks(3, () => undefined),
      { release: () => (released += 1) },
    ),
  );
  const plain = gunzipSync(Buffer.concat(pieces));
  expect(plain.length).toBe(3 * BLOCK_BYTES);
  expect([plain[0], plain[BLOCK_BYTES], plain[2 * BLOCK_BYTES]]).toEqual([0, 1, 2]);
  expect(released).toBe(3);
});

test('throws the error of its source', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(BLOCK_BYTES);
    throw new Error('changed');
  }
  await expect(Array.fromAsync(gzipStream(failing()))).rejects.toThrow('changed');
});

test('ends with its source when the signal is aborted', async () => {
  const stop = new AbortController();
  let ended = false;
  const pieces = gzipStream(
    blocks(1000, () => (ended = true)),
    { signal: stop.signal },
  );
  await pieces.next();
  stop.abort(new Error('cancelled'));
  await expect(Array.fromAsync(pieces)).rejects.toThrow('cancelled');
  expect(ended).toBe(true);
});
