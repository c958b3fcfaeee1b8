// Covers the parallel gzip: any reader can read the joined member, whatever the blocks are.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { looksIncompressible } from './incompressible.ts';
import { gzipBlocks, type GzipOptions } from './parallel-gzip.ts';

async function compress(blocks: readonly Buffer[], options?: GzipOptions): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of gzipBlocks(blocks, options)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Returns constant, repetitive or random-looking bytes from a seed. */
function content(kind: number, size: number, seed: number): Buffer {
  if (kind === 0) return Buffer.alloc(size, seed % 256);
  if (kind === 1) return Buffer.from(`row ${seed},1.25,north\n`.repeat(size / 10)).subarray(0, size);
  const chunks = Array.from({ length: Math.ceil(size / 64) }, (_, index) =>
    createHash('sha512').update(`${seed}:${index}`).digest(),
  );
  return Buffer.concat(chunks).subarray(0, size);
}

test('returns arbitrary blocks unchanged', async () => {
  const block = fc
    .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 150_000 }), fc.nat(1000))
    .map(([kind, size, seed]) => content(kind, Math.max(1, size), seed))
    .filter((bytes) => bytes.length > 0);
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      async (blocks, concurrency, level) => {
        const result = await compress(blocks, { concurrency, level });
        expect(gunzipSync(result).equals(Buffer.concat(blocks))).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test('returns tiny blocks of any bytes unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 40 }),
      async (arrays) => {
        const blocks = arrays.map((bytes) => Buffer.from(bytes));
        expect(gunzipSync(await compress(blocks)).equals(Buffer.concat(blocks))).toBe(true);
      },
    ),
  );
});

test('gzip and Python read the result as one member', async () => {
  const blocks = [content(1, 1 << 20, 1), content(2, 1 << 20, 2), content(1, 70_000, 3)];
  const result = await compress(blocks);
  execFileSync('gzip', ['-t'], { input: result });
  const script =
    'import sys,zlib; d=zlib.decompressobj(31); b=d.decompress(sys.stdin.buffer.read()); ' +
    'assert d.eof and d.unused_data==b""; sys.stdout.write(str(len(b)))';
  expect(execFileSync('/usr/bin/python3', ['-c', script], { input: result }).toString()).toBe(
    String((2 << 20) + 70_000),
  );
});

test('creates the same bytes at any concurrency', async () => {
  const blocks = Array.from({ length: 6 }, (_, index) => content(index % 3, 200_000, index));
  const one = await compress(blocks, { concurrency: 1 });
  expect((await compress(blocks, { concurrency: 5 })).equals(one)).toBe(true);
});

test('a block refers back to the one before it', async () => {
  const block = content(2, 30_000, 9);
  // Random bytes do not compress. The second block does, if the window reaches into the first.
  expect((await compress([block, block])).length).toBeLessThan(31_000);
});

test('looksIncompressible detects random data, but no text within or around it', async () => {
  const random = randomBytes(1 << 20);
  const mixed = Buffer.concat([
    random.subarray(0, 400_000),
    content(1, 300_000, 1),
    random.subarray(0, 300_000),
  ]);
  expect(await looksIncompressible(random)).toBe(true);
  expect(await looksIncompressible(content(1, 1 << 20, 1))).toBe(false);
  expect(await looksIncompressible(mixed)).toBe(false);
  const repeated = Buffer.concat(Array.from({ length: 52 }, () => random.subarray(0, 20_000)));
  expect(await looksIncompressible(repeated)).toBe(false);
  expect((await compress([random])).length).toBeLessThan(random.length + 200);
});

test('releases each block exactly once, after its result exists', async () => {
  const blocks = Array.from({ length: 5 }, (_, index) => content(1, 100_000, index));
  const released: Buffer[] = [];
  await compress(blocks, { release: (block) => released.push(block) });
  expect(new Set(released)).toEqual(new Set(blocks));
  expect(released).toHaveLength(5);
});

test('throws the error of its source', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield content(1, 1000, 1);
    throw new Error('disk on fire');
  }
  const reading = async (): Promise<void> => {
    for await (const piece of gzipBlocks(broken())) expect(piece.length).toBeGreaterThan(0);
  };
  await expect(reading()).rejects.toThrow('disk on fire');
});
