// What was rendered as one archive, and back: our own files only, whatever their names.
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';

/** Pages and pictures: more would take longer than it saves. */
const LEVEL = 1;
/** Bytes that are packed without anybody else's turn in between. */
const AT_ONCE = 65_536;

/** A gzipped tar archive of a directory. */
export function packRendered(directory: string): Readable {
  const options = { gzip: { level: LEVEL }, cwd: directory, portable: true, maxReadSize: AT_ONCE };
  const packed = create(options, ['.']);
  return Readable.from(packed, { objectMode: false });
}

/** @param directory is made. Answers the bytes in it. @throws when the archive is damaged or cut off */
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
