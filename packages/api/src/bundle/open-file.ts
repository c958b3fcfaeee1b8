// Opens the files of a bundle so that nothing but the file that was listed can be read.
import { close, constants, fstat, open, read, type Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { BundleError, systemCode } from './bundle-error.ts';
import { isInside, pathProblem, stampOf, unreadable, type BundleFile } from './bundle-file.ts';

// The callback functions through promisify cost a third of FileHandle objects, which matters at 50,000 files.
const openAsync = promisify(open);
const statAsync = promisify<number, Stats>(fstat);
const closeAsync = promisify(close);

// O_NONBLOCK: a file swapped for a named pipe must fail the check, not block a pool thread for ever.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens one listed file below a resolved root and checks that it is still the same file; returns the descriptor,
 * which the caller closes. Throws BundleError `unsafe-path`, `file-missing`, `file-changed` or `unreadable`.
 */
export async function openListed(root: string, file: BundleFile): Promise<number> {
  const relative = file.source ?? file.path;
  const problem = pathProblem(relative) ?? pathProblem(file.path);
  if (problem !== undefined) {
    throw new BundleError('unsafe-path', `${file.path} cannot go into a bundle: ${problem}.`, {
      paths: [file.path],
    });
  }
  const absolute = path.join(root, relative);
  let descriptor: number;
  try {
    if (file.stamp === undefined) await refuseOutside(root, absolute, file.path);
    descriptor = await openAsync(absolute, FLAGS);
  } catch (error) {
    throw openFailure(file.path, error);
  }
  try {
    await verifyListed(descriptor, file);
    return descriptor;
  } catch (error) {
    await closeAsync(descriptor);
    throw error;
  }
}

/** Checks that an open descriptor is the listed file, with the listed size and, where known, identity and time. */
export async function verifyListed(descriptor: number, file: BundleFile): Promise<void> {
  const stats = await statAsync(descriptor);
  // Device and inode in the stamp also reveal a directory above the file that was swapped for a link.
  const same = file.stamp === undefined || file.stamp === stampOf(stats);
  if (!stats.isFile() || stats.size !== file.size || !same) throw changed(file.path);
}

/** Reads at `position` until `length` bytes are there or the file ends; returns the number of bytes read. */
export async function readFully(
  descriptor: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  let total = 0;
  while (total < length) {
    const count = await readAsync(descriptor, buffer, offset + total, length - total, position + total);
    if (count === 0) break;
    total += count;
  }
  return total;
}

/** Reads a small file whole; refuses it when it has grown, shrunk or changed since it was listed. */
export async function readListed(root: string, file: BundleFile): Promise<Buffer> {
  const descriptor = await openListed(root, file);
  try {
    // One byte more than expected shows a file that grew without a second look at it.
    const buffer = Buffer.allocUnsafe(file.size + 1);
    const count = await readAsync(descriptor, buffer, 0, buffer.length, 0);
    if (count === file.size) return buffer.subarray(0, count);
    const rest = count < file.size ? await readFully(descriptor, buffer, count, buffer.length - count, count) : 1;
    if (count + rest !== file.size) throw changed(file.path);
    return buffer.subarray(0, file.size);
  } finally {
    await closeAsync(descriptor);
  }
}

/** Closes a descriptor. */
export async function closeFile(descriptor: number): Promise<void> {
  await closeAsync(descriptor);
}

/** The error for a file that is not what it was when it was listed. */
export function changed(relative: string, cause?: unknown): BundleError {
  return new BundleError(
    'file-changed',
    `${relative} changed while it was being packed: wait until nothing writes to it, or exclude it, and publish again.`,
    { paths: [relative], cause },
  );
}

function readAsync(
  descriptor: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, offset, length, position, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}

/** For a file listed without a stamp: its directory must not lead out of the root. */
async function refuseOutside(root: string, absolute: string, relative: string): Promise<void> {
  const directory = await realpath(path.dirname(absolute));
  if (!isInside(root, directory)) {
    throw new BundleError('unsafe-path', `${relative} leads outside the directory: exclude it.`, {
      paths: [relative],
    });
  }
}

function openFailure(relative: string, error: unknown): BundleError {
  if (error instanceof BundleError) return error;
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new BundleError(
      'file-missing',
      `${relative} is gone since the files were listed: publish again, or restore it.`,
      { paths: [relative], cause: error },
    );
  }
  // A link, a socket or a device where a file was listed.
  if (code === 'ELOOP' || code === 'EMLINK' || code === 'ENXIO') return changed(relative, error);
  return unreadable(relative, error);
}
