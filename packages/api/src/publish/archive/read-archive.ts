// Reads the archive of a bundle as a stream: its files, with the bytes of small ones.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Parser } from 'tar/parse';
import { unpackedTar } from './unpacked-tar.ts';

export interface ArchivedFile {
  size: number;
  /** Hex MD5. */
  md5: string;
  /** Null if it is larger than the limit. */
  bytes: Buffer | null;
}

/** Maximum bytes kept of a file, and in total. */
const FILE_KEPT = 1024 * 1024;
const ALL_KEPT = 32 * 1024 * 1024;
/** Four times what a server takes without settings. Without a limit, some MiB from a server would use up the memory. */
const MAX_FILES = 1_000_000;

/** The files by path, without manifest.json unless requested. Throws for a damaged archive, or the signal's reason. */
export async function readArchive(
  archive: Readable,
  options: { signal?: AbortSignal | undefined; withManifest?: boolean; maxFiles?: number } = {},
): Promise<Map<string, ArchivedFile>> {
  const files = new Map<string, ArchivedFile>();
  let kept = 0;
  const { maxFiles = MAX_FILES } = options;
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry): unknown => {
      const path = entry.path.replace(/^\.\//, '');
      if (entry.type !== 'File' && entry.type !== 'OldFile') return entry.resume();
      if (files.size >= maxFiles)
        return parser.abort(new Error(`the archive has more than ${maxFiles} files`));
      const keep = entry.size <= FILE_KEPT && kept + entry.size <= ALL_KEPT;
      if (keep) kept += entry.size;
      const hash = createHash('md5');
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        if (keep) chunks.push(chunk);
      });
      entry.on('end', () => {
        const bytes = keep ? Buffer.concat(chunks) : null;
        if (path !== 'manifest.json' || options.withManifest === true)
          files.set(path, { size: entry.size, md5: hash.digest('hex'), bytes });
      });
      return undefined;
    },
  });
  const { signal } = options;
  await pipeline(Readable.from(unpackedTar(archive)), parser as unknown as NodeJS.WritableStream, {
    ...(signal !== undefined && { signal }),
  });
  return files;
}
