// Detects blocks that deflate cannot shrink (images, Parquet, archives) and wraps them as stored deflate blocks.
import { deflateRaw } from 'node:zlib';

const SLICES = 16;
const SLICE_BYTES = 1024;
/** Bits per byte; 1 KiB of random bytes has about 7.8, text and most tables less than 6. */
const SUSPECT_ENTROPY = 7.2;
/** More than deflate's window, so that the sample includes its repetitions. */
const TRIAL_BYTES = 64 * 1024;
const WORTH_IT = 0.97;
const STORED_MAX = 0xffff;

/**
 * Whether deflating this block would waste time. Cheap for ordinary data: samples of the block are checked, and only if
 * all look random, a part is compressed for a test, in the pool.
 */
export async function looksIncompressible(block: Buffer): Promise<boolean> {
  if (block.length < TRIAL_BYTES) return false;
  const stride = Math.floor((block.length - SLICE_BYTES) / (SLICES - 1));
  for (let slice = 0; slice < SLICES; slice += 1) {
    if (entropy(block, slice * stride) < SUSPECT_ENTROPY) return false;
  }
  const start = (block.length - TRIAL_BYTES) >> 1;
  const sample = block.subarray(start, start + TRIAL_BYTES);
  const size = await new Promise<number>((resolve, reject) => {
    deflateRaw(sample, { level: 1, chunkSize: TRIAL_BYTES * 2 }, (error, result) => {
      if (error === null) resolve(result.length);
      else reject(error);
    });
  });
  return size > sample.length * WORTH_IT;
}

/** The block as stored (uncompressed) deflate blocks, none of them final; byte-aligned at both ends. */
export function storedBlocks(block: Buffer): Buffer {
  const pieces = Math.ceil(block.length / STORED_MAX);
  const result = Buffer.allocUnsafe(block.length + pieces * 5);
  let to = 0;
  for (let from = 0; from < block.length; from += STORED_MAX) {
    const length = Math.min(STORED_MAX, block.length - from);
    result[to] = 0;
    result.writeUInt16LE(length, to + 1);
    result.writeUInt16LE(length ^ 0xffff, to + 3);
    block.copy(result, to + 5, from, from + length);
    to += 5 + length;
  }
  return result;
}

const counts = new Uint32Array(256);

/** Bits per byte of one slice; the shared table is safe because this never waits. */
function entropy(block: Buffer, start: number): number {
  counts.fill(0);
  for (let index = start; index < start + SLICE_BYTES; index += 1) {
    const byte = block[index] as number;
    counts[byte] = (counts[byte] as number) + 1;
  }
  let bits = 0;
  for (const count of counts) {
    if (count > 0) bits -= count * Math.log2(count / SLICE_BYTES);
  }
  return bits / SLICE_BYTES;
}
