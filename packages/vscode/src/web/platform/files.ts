// Replaces node:fs and node:fs/promises, with files in memory: what collecting, packing and records need.
import {
  failure,
  fileAt,
  type FileNode,
  folderAt,
  lookUp,
  makeFolder,
  move,
  remove,
  type TreeNode,
  writeBytes,
} from './tree.ts';

export const constants = { O_RDONLY: 0, O_NOFOLLOW: 0, O_NONBLOCK: 0 };

const no = () => false;

function statsOf(node: TreeNode) {
  const isFile = node.kind === 'file';
  return {
    dev: 0,
    ino: node.ino,
    size: isFile ? node.bytes.length : 0,
    mode: isFile ? 0o100644 : 0o40755,
    mtimeMs: node.mtimeMs,
    isFile: () => isFile,
    isDirectory: () => !isFile,
    isSymbolicLink: no,
    isFIFO: no,
    isSocket: no,
    isBlockDevice: no,
    isCharacterDevice: no,
  };
}
type Stats = ReturnType<typeof statsOf>;
type Callback<T> = (error: unknown, result?: T) => void;

/** Calls back asynchronously, like Node.js. */
function respond<T>(callback: Callback<T>, work: () => T): void {
  Promise.resolve()
    .then(work)
    .then(
      (result) => callback(null, result),
      (error: unknown) => callback(error),
    );
}

const opened = new Map<number, FileNode>();
let descriptors = 2;

export function openSync(path: string): number {
  opened.set(++descriptors, fileAt(path));
  return descriptors;
}
export function closeSync(descriptor: number): void {
  opened.delete(descriptor);
}
function nodeOf(descriptor: number): FileNode {
  const node = opened.get(descriptor);
  if (node === undefined) throw failure('EBADF', String(descriptor));
  return node;
}
export function fstatSync(descriptor: number): Stats {
  return statsOf(nodeOf(descriptor));
}
export function readSync(
  descriptor: number,
  target: Uint8Array,
  offset: number,
  length: number,
  position: number,
): number {
  const piece = nodeOf(descriptor).bytes.subarray(position, position + length);
  target.set(piece, offset);
  return piece.length;
}
export const lstatSync = (path: string): Stats => statsOf(lookUp(path));
export const readdirSync = (path: string) => entriesOf(path);
export function realpathSync(path: string): string {
  lookUp(path);
  return path;
}
export function readFileSync(path: string, encoding?: 'utf8'): string | Buffer {
  const { bytes } = fileAt(path);
  const copy = Buffer.from(bytes);
  return encoding === undefined ? copy : copy.toString(encoding);
}

export const open = (path: string, _flags: unknown, callback: Callback<number>): void =>
  respond(callback, () => openSync(path));
export const close = (descriptor: number, callback: Callback<void>): void =>
  respond(callback, () => closeSync(descriptor));
export const fstat = (descriptor: number, callback: Callback<Stats>): void =>
  respond(callback, () => fstatSync(descriptor));
export const lstat = (path: string, callback: Callback<Stats>): void =>
  respond(callback, () => lstatSync(path));
export function read(
  descriptor: number,
  target: Uint8Array,
  offset: number,
  length: number,
  position: number,
  callback: Callback<number>,
): void {
  respond(callback, () => readSync(descriptor, target, offset, length, position));
}

/** A file handle. */
function handleOf(node: FileNode, path: string) {
  return {
    stat: async () => statsOf(node),
    readFile: async (encoding: 'utf8') => Buffer.from(node.bytes).toString(encoding),
    writeFile: async (data: string) => void writeBytes(path, bytesOf(data)),
    sync: async () => undefined,
    close: async () => undefined,
  };
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}

function entriesOf(path: string, { withFileTypes = false } = {}) {
  const entries = [...folderAt(path).entries];
  if (!withFileTypes) return entries.map(([name]) => name);
  return entries.map(([name, node]) => ({
    name,
    isFile: () => node.kind === 'file',
    isDirectory: () => node.kind === 'folder',
    isSymbolicLink: no,
  }));
}

/** Replaces node:fs/promises. */
export const promises = {
  constants,
  lstat: async (path: string) => statsOf(lookUp(path)),
  stat: async (path: string) => statsOf(lookUp(path)),
  realpath: async (path: string) => realpathSync(path),
  readFile: async (path: string, encoding?: 'utf8') => readFileSync(path, encoding),
  readdir: async (path: string, options?: { withFileTypes?: boolean }) => entriesOf(path, options),
  writeFile: async (path: string, data: string | Uint8Array) => void writeBytes(path, bytesOf(data)),
  mkdir: async (path: string, { recursive = false } = {}) => makeFolder(path, recursive),
  rm: async (path: string, options: { recursive?: boolean; force?: boolean } = {}) => remove(path, options),
  async rmdir(path: string) {
    if (folderAt(path).entries.size > 0) throw failure('ENOTEMPTY', path);
    remove(path, { recursive: true });
  },
  rename: async (from: string, to: string) => move(from, to),
  async utimes(path: string, _accessed: Date, changed: Date) {
    lookUp(path).mtimeMs = changed.getTime();
  },
  open: async (path: string, flags: string | number) =>
    handleOf(flags === 'wx' ? writeBytes(path, new Uint8Array(), true) : fileAt(path), path),
};
