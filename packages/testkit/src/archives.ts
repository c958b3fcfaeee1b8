// Bundles for tests: a manifest and some files in a gzip tar archive.
import { gzipSync } from 'node:zlib';

export type Files = Readonly<Record<string, string | Buffer>>;

const BLOCK = 512;

/** A manifest (version 1) of static content with the given files. */
export function manifestOf(files: Files, metadata: Record<string, unknown> = {}): string {
  const entries = Object.fromEntries(Object.keys(files).map((name) => [name, { checksum: '' }]));
  return JSON.stringify({
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html', ...metadata },
    packages: null,
    files: entries,
  });
}

/** A bundle of the files; by default with a manifest of static content. */
export function makeArchive(files: Files, metadata: Record<string, unknown> = {}): Buffer {
  const all: Files =
    'manifest.json' in files ? files : { 'manifest.json': manifestOf(files, metadata), ...files };
  const blocks = Object.entries(all).flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    return [header(name, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
