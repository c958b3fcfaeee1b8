// Covers unpacking for the parser of tar.
import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { unpackedTar } from './unpacked-tar.ts';

async function unpack(archive: Buffer): Promise<Buffer> {
  const bytes = [...archive].map((byte) => Buffer.from([byte]));
  return Buffer.concat(await Array.fromAsync(unpackedTar(Readable.from(bytes))));
}

test('returns the bytes, however few arrive at once', async () => {
  for (const text of ['', 'a', 'a text']) expect(String(await unpack(gzipSync(text)))).toBe(text);
});

test.each([
  ['gzip', gzipSync('a')],
  ['Zstandard', zstdCompressSync('a')],
])('refuses what is compressed again, by %s', async (_name, inner) => {
  await expect(unpack(gzipSync(inner))).rejects.toThrow('compressed more than once');
});

test('refuses what is not compressed', async () => {
  await expect(unpack(Buffer.from('plain'))).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
});

test('destroys the archive when its reader stops', async () => {
  const archive = Readable.from([gzipSync('a text')]);
  for await (const _ of unpackedTar(archive)) break;
  expect(archive.destroyed).toBe(true);
});
