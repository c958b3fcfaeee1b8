// Packs a rendering into one archive and unpacks it: our own files only, so any name is accepted.
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';

/** Pages and pictures: higher levels take more time than they save. */
const LEVEL = 1;
/** Bytes packed before the event loop gets a turn. */
const AT_ONCE = 65_536;

/** A gzipped tar archive of a directory. */
export function packRendered(directory: string): Readable {
  const options = { gzip: { level: LEVEL }, cwd: directory, portable: true, maxReadSize: AT_ONCE };
  const packed = create(options, ['.']);
  return Readable.from(packed, { objectMode: false });
}

/** @param directory is created. Returns its bytes. @throws if the archive is damaged or truncated */
export async function unpackRendered(archive: Readable, directory: string): Promise<number> {
  await mkdir(directory, 0o755);
  let bytes = 0;
  const target = extract({
    cwd: directory,
    strict: true,
    preserveOwner: false,
    chmod: true,
    processUmask: 0o022,
    filter: (_path, entry) => 'type' in entry && (entry.type === 'File' || entry.type === 'Directory'),
    onReadEntry: (entry) => (bytes += entry.size),
  });
  await pipeline(archive, target);
  return bytes;
}
