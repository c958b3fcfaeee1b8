// Copies a tree written by untrusted code file by file, in a worker thread (see collect-output.ts). Synchronous calls
// take a tenth of the CPU time of asynchronous ones, and block nobody here.
// @ts-check
const fs = require('node:fs');
const { dirname, join } = require('node:path');
const { parentPort, workerData } = require('node:worker_threads');

const MAX_DEPTH = 64;
const MAX_TOLD = 10;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants;
/** Refuses a symbolic link in place of a file, and does not block on a pipe. */
const OPEN_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
const DIRECTORY_FLAGS = O_RDONLY | O_NOFOLLOW | O_DIRECTORY;
/** Errors of `open` if the file was replaced. */
const CHANGED = ['ELOOP', 'ENOTDIR', 'ENXIO'];

/** Entries of a directory read at once: there may be more than fit in memory. */
const ENTRIES = 256;
const LOOK_AGAIN = 32 * 2 ** 20;
/** Minimum disk usage of a file or directory. */
const BLOCK = 4096;

class TooMuch extends Error {}

const { from, to, limits, keepTimes, reserve } = workerData;
const buffer = Buffer.allocUnsafe(2 ** 20);
let files = 0;
let directories = 0;
let bytes = 0;
let told = 0;
/** Bytes that may be written before the disk is checked again, which other processes fill as well. */
let room = 0;

/** @param {object} message */
const send = (message) => parentPort?.postMessage(message);

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** @type {(path: string, why: string) => void} */
function leaveOut(path, why) {
  told += 1;
  if (told <= MAX_TOLD) send({ line: `${JSON.stringify(path)} is left out: it ${why}` });
  else if (told === MAX_TOLD + 1) send({ line: 'More files were skipped.' });
}

/**
 * False if the file was replaced.
 * @type {(path: string, flags: number, use: (fd: number) => boolean) => boolean}
 */
function opened(path, flags, use) {
  let fd;
  try {
    fd = fs.openSync(path, flags);
  } catch (error) {
    if (CHANGED.includes(codeOf(error))) return false;
    throw error;
  }
  try {
    return use(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** @type {(size: number) => void} */
function take(size) {
  room -= size + BLOCK;
  if (room >= 0 || reserve === 0) return;
  const { bavail, bsize } = fs.statfsSync(dirname(to));
  const left = bavail * bsize - reserve - size - BLOCK;
  if (left < 0) throw new TooMuch(`less than ${reserve} bytes of the disk would stay free`);
  room = Math.min(left, LOOK_AGAIN);
}

/** @type {(source: number, target: string) => boolean} */
function copyFile(source, target) {
  const stat = fs.fstatSync(source);
  if (!stat.isFile()) return false;
  files += 1;
  if (files > limits.files) throw new TooMuch(`more than ${limits.files} files`);
  // A sparse file takes its full size in the copy.
  take(stat.size);
  const copy = fs.openSync(target, 'wx', stat.mode & 0o111 ? 0o755 : 0o644);
  try {
    // The size when it was opened: it must not grow while it is read.
    bytes += stat.size;
    if (bytes > limits.bytes) throw new TooMuch(`more than ${limits.bytes} bytes`);
    for (let at = 0; at < stat.size;) {
      const read = fs.readSync(source, buffer, 0, Math.min(buffer.length, stat.size - at), at);
      if (read === 0) break;
      for (let written = 0; written < read;) written += fs.writeSync(copy, buffer, written, read - written);
      at += read;
    }
    // Compiled Python code records the source's time in whole seconds.
    const changed = Math.floor(stat.mtimeMs / 1000);
    if (keepTimes) fs.futimesSync(copy, changed, changed);
  } finally {
    fs.closeSync(copy);
  }
  return true;
}

/**
 * Names are bytes, not necessarily text.
 * @type {(held: string) => Generator<import('node:fs').Dirent<Buffer>>}
 */
function* entriesOf(held) {
  const encoding = /** @type {BufferEncoding} */ ('buffer');
  using directory = fs.opendirSync(held, { encoding, bufferSize: ENTRIES });
  for (let entry = directory.readSync(); entry !== null; entry = directory.readSync())
    yield /** @type {import('node:fs').Dirent<any>} */ (entry);
}

/**
 * `held` is a path to the open directory, which renames of its parents cannot redirect.
 * @type {(held: string, target: string, path: string, depth: number) => void}
 */
function copyDirectory(held, target, path, depth) {
  if (depth > MAX_DEPTH) throw new TooMuch(`directories more than ${MAX_DEPTH} deep`);
  if (depth > 0) directories += 1;
  if (directories > limits.files) throw new TooMuch(`more than ${limits.files} directories`);
  take(0);
  fs.mkdirSync(target, { mode: 0o755 });
  for (const entry of entriesOf(held)) {
    const text = entry.name.toString();
    const name = join(path, text);
    if (!Buffer.from(text).equals(entry.name)) {
      leaveOut(name, 'has a name that is no UTF-8 text');
      continue;
    }
    const isDirectory = entry.isDirectory();
    if (!isDirectory && !entry.isFile()) {
      leaveOut(name, entry.isSymbolicLink() ? 'is a symbolic link' : 'is not a regular file');
      continue;
    }
    const at = { from: join(held, text), to: join(target, text) };
    const isThere = opened(at.from, isDirectory ? DIRECTORY_FLAGS : OPEN_FLAGS, (fd) => {
      if (isDirectory) copyDirectory(`/proc/self/fd/${fd}`, at.to, name, depth + 1);
      else return copyFile(fd, at.to);
      return true;
    });
    if (!isThere) leaveOut(name, 'is not a regular file any more');
  }
}

try {
  const isThere = opened(from, DIRECTORY_FLAGS, (top) => {
    copyDirectory(`/proc/self/fd/${top}`, to, '', 0);
    return true;
  });
  send(isThere ? { copied: { files, bytes } } : { failed: `${from} is no directory` });
} catch (error) {
  if (error instanceof TooMuch) send({ tooMuch: error.message });
  else send({ failed: String(error), code: codeOf(error) });
}
