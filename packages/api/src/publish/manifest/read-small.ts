// Reads files that are parsed synchronously, with a limit: on a server they are untrusted, and would block it.
import { readFile, stat } from 'node:fs/promises';
import { wording } from '../../client/failure-texts.ts';
import { BundleError } from '../collect/bundle-error.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';

/** Bytes; servers accept no larger manifest. */
const MAX_BYTES = 10 * 2 ** 20;

/** @throws BundleError `unreadable` for a larger file or a device, also behind a link, and errors of reading it */
export async function readSmallBytes(file: string): Promise<Buffer> {
  const stats = await stat(file);
  const isEndless = !stats.isFile() && !stats.isDirectory();
  if (isEndless || stats.size > MAX_BYTES)
    throw new BundleError('unreadable', wording(BUNDLE_TEXTS.tooLargeToRead, file), { paths: [file] });
  return readFile(file);
}

/** Throws like `readSmallBytes`. */
export async function readSmall(file: string): Promise<string> {
  // Windows editors may write a byte order mark, which parsers refuse.
  return (await readSmallBytes(file)).toString('utf8').replace(/^\uFEFF/, '');
}
