// Reads files that are parsed at once: a server does that with what others wrote, and stands still meanwhile.
import { lstat, readFile } from 'node:fs/promises';
import { BundleError } from '../collect/bundle-error.ts';

/** Bytes; servers take no larger manifest. */
const LARGEST = 10 * 2 ** 20;

/** @throws BundleError `unreadable` for a larger file, and what reading it throws */
export async function readSmall(file: string): Promise<string> {
  if ((await lstat(file)).size > LARGEST)
    throw new BundleError('unreadable', `${file} is larger than 10 MiB: it is not read.`, { paths: [file] });
  // Editors of Windows may begin text with a mark, which no parser takes.
  return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
}
