// Reads the archive of a bundle without Node.js streams; replaces readArchive of @pressroom/api.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ArchivedFile } from '@pressroom/api/publish';
import { createTarDecoder } from 'modern-tar';

/** Maximum bytes of a kept file, and of all of them. */
const FILE_KEPT = 1024 * 1024;
const ALL_KEPT = 32 * 1024 * 1024;
/** As in readArchive. */
const MAX_FILES = 1_000_000;

/** The files by path, without manifest.json. @throws if the archive is damaged */
export async function readArchiveInBrowser(
  archive: Readable,
  { maxFiles = MAX_FILES }: { readonly maxFiles?: number } = {},
): Promise<Map<string, ArchivedFile>> {
  const files = new Map<string, ArchivedFile>();
  let kept = 0;
  const entries = streamOf(archive)
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of valuesOf(entries)) {
    const { size } = header;
    const keep = size <= FILE_KEPT && kept + size <= ALL_KEPT;
    const sum = createHash('md5');
    const chunks: Uint8Array[] = [];
    for await (const chunk of valuesOf(body)) {
      sum.update(chunk);
      if (keep) chunks.push(chunk);
    }
    const path = header.name.replace(/^\.\//, '');
    if ((header.type ?? 'file') !== 'file' || path === 'manifest.json') continue;
    if (files.size >= maxFiles) throw new Error(`the archive has more than ${maxFiles} files`);
    if (keep) kept += size;
    files.set(path, { size, md5: sum.digest('hex'), bytes: keep ? Buffer.concat(chunks) : null });
  }
  return files;
}

function streamOf(archive: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = archive[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(Uint8Array.from(value));
    },
    cancel: () => void archive.destroy(),
  });
}

/** Not all browsers support iterating over streams. */
async function* valuesOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
