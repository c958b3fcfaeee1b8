// Reads files that are parsed synchronously, with a limit: on a server they are untrusted, and would block it.
import { readFile, stat } from 'node:fs/promises';
import { wording } from '../../client/failure-texts.ts';
import { textOfBytes } from '../../contract/manifest/text-of-bytes.ts';
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

/** Without a byte order mark, which programs on Windows write, and parsers refuse. Throws like `readSmallBytes`. */
export async function readSmall(file: string): Promise<string> {
  return textOfBytes(await readSmallBytes(file));
}
