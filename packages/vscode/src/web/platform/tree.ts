// Files in memory: copies of what an editor in the browser has open, for code that reads files.
import { l10n } from 'vscode';

export interface FileNode {
  readonly kind: 'file';
  readonly ino: number;
  bytes: Uint8Array;
  /** Milliseconds. */
  mtimeMs: number;
}
export interface FolderNode {
  readonly kind: 'folder';
  readonly ino: number;
  readonly entries: Map<string, TreeNode>;
  mtimeMs: number;
}
export type TreeNode = FileNode | FolderNode;

/** Maximum bytes of all files: a browser gives a page some gigabytes, and the archive needs memory, too. */
const MAX_BYTES = 512 * 1024 * 1024;

let inodes = 1;
let held = 0;
const root: FolderNode = { kind: 'folder', ino: inodes, entries: new Map(), mtimeMs: 0 };

/** @throws with an error code of Node.js */
export function failure(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

export function lookUp(path: string): TreeNode {
  let node: TreeNode = root;
  for (const name of namesOf(path)) {
    if (node.kind === 'file') throw failure('ENOTDIR', path);
    const next = node.entries.get(name);
    if (next === undefined) throw failure('ENOENT', path);
    node = next;
  }
  return node;
}

export function folderAt(path: string): FolderNode {
  const node = lookUp(path);
  if (node.kind === 'file') throw failure('ENOTDIR', path);
  return node;
}

export function fileAt(path: string): FileNode {
  const node = lookUp(path);
  if (node.kind === 'folder') throw failure('EISDIR', path);
  return node;
}

function placeOf(path: string): [FolderNode, string] {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined) throw failure('EPERM', path);
  return [folderAt(names.join('/')), name];
}

export function makeFolder(path: string, recursive: boolean): void {
  let node: FolderNode = root;
  const names = namesOf(path);
  for (const [index, name] of names.entries()) {
    const next = node.entries.get(name);
    const isLast = index === names.length - 1;
    if (next?.kind === 'file') throw failure(isLast ? 'EEXIST' : 'ENOTDIR', path);
    if (next === undefined && !isLast && !recursive) throw failure('ENOENT', path);
    if (next !== undefined && isLast && !recursive) throw failure('EEXIST', path);
    node =
      next ?? put(node, name, { kind: 'folder', ino: ++inodes, entries: new Map(), mtimeMs: Date.now() });
  }
}

function put<Node extends TreeNode>(folder: FolderNode, name: string, node: Node): Node {
  folder.entries.set(name, node);
  return node;
}

/** @param exclusive fails if the file exists */
export function writeBytes(path: string, bytes: Uint8Array, exclusive = false): FileNode {
  const [folder, name] = placeOf(path);
  const before = folder.entries.get(name);
  if (before?.kind === 'folder') throw failure('EISDIR', path);
  if (before !== undefined && exclusive) throw failure('EEXIST', path);
  const more = bytes.length - (before?.bytes.length ?? 0);
  if (held + more > MAX_BYTES)
    throw new Error(
      l10n.t('The files of this workspace are too large to publish from a browser. Exclude some of them.'),
    );
  held += more;
  const node = before ?? put(folder, name, { kind: 'file', ino: ++inodes, bytes, mtimeMs: 0 });
  node.bytes = bytes;
  node.mtimeMs = Date.now();
  return node;
}

export function remove(path: string, { recursive = false, force = false }): void {
  const [folder, name] = placeOf(path);
  const node = folder.entries.get(name);
  if (node === undefined) {
    if (force) return;
    throw failure('ENOENT', path);
  }
  if (node.kind === 'folder' && !recursive) throw failure('EISDIR', path);
  folder.entries.delete(name);
  held -= sizeOf(node);
}

export function move(from: string, to: string): void {
  const node = lookUp(from);
  const [folder, name] = placeOf(to);
  const before = folder.entries.get(name);
  if (before !== undefined && before !== node) held -= sizeOf(before);
  const [source, old] = placeOf(from);
  source.entries.delete(old);
  folder.entries.set(name, node);
}

function sizeOf(node: TreeNode): number {
  if (node.kind === 'file') return node.bytes.length;
  return [...node.entries.values()].reduce((sum, entry) => sum + sizeOf(entry), 0);
}
