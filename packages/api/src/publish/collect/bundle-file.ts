// The files of a bundle, and the checks of every path before it is read or written.
import { lstatSync, lstat as lstatCallback, type Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { wording } from '../../client/failure-texts.ts';
import { isUnprintable } from '../../contract/manifest/quote-name.ts';
import { BUNDLE_TEXTS, PATH_TEXTS } from '../problem-texts.ts';
import { BundleError, systemCode } from './bundle-error.ts';
import type { Turns } from './turns.ts';

// The promise version takes twice as long, which matters at 50,000 files.
const lstat = promisify<string, Stats>(lstatCallback);

/** One regular file that goes into the archive. */
export interface BundleFile {
  /** Path inside the archive: relative, with forward slashes. */
  path: string;
  /** Bytes. */
  size: number;
  /** 0o644, or 0o755 when the owner may execute it. */
  mode: number;
  /** Location of the bytes if `path` is a link inside the root: relative to the root, forward slashes. */
  source?: string;
  /** Identity and modification time when it was listed; packing refuses the file if it differs. */
  stamp?: string;
}

/** Result of examining a path: a file, a directory, or the reason why it is excluded. */
export type Described =
  | { kind: 'file'; file: BundleFile }
  | { kind: 'directory' }
  | { kind: 'skip'; reason: string; unsafe: boolean };

/** Reason of a path that does not exist. */
export const DISAPPEARED = 'it disappeared while the directory was read';

/** Identity (device, inode) and modification time of a file as a short string. */
export function stampOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.mtimeMs}`;
}

/** Resolves the root; later checks compare with this path. Throws `not-found`, `not-a-directory`. */
export async function resolveRoot(dir: string): Promise<string> {
  let root: string;
  let stats: Stats;
  try {
    root = await realpath(dir);
    stats = await stat(root);
  } catch (error) {
    throw new BundleError('not-found', wording(BUNDLE_TEXTS.noDirectory, dir), {
      paths: [dir],
      cause: error,
    });
  }
  if (!stats.isDirectory()) {
    throw new BundleError('not-a-directory', wording(BUNDLE_TEXTS.notDirectory, dir), { paths: [dir] });
  }
  return root;
}

/** Most paths: no component starts with a dot or a space. */
const PLAIN = /^(?:[\w-][\w. -]*\/)*[\w-][\w. -]*$/;

/** File systems of most servers limit a name to this many bytes. */
const MAX_NAME_BYTES = 255;

/** Why a relative path may not be used in an archive, or undefined when it may. */
export function pathProblem(relative: string): string | undefined {
  if (PLAIN.test(relative) && relative.length <= MAX_NAME_BYTES) return undefined;
  if (relative === '') return PATH_TEXTS.empty;
  if (relative.includes('\0')) return PATH_TEXTS.nul;
  if (relative.includes('\\')) return PATH_TEXTS.backslash;
  if (relative.includes('�')) return PATH_TEXTS.encoding;
  // The same characters as on the server, which refuses a bundle with such a name.
  if (isUnprintable(relative)) return PATH_TEXTS.control;
  if (relative.startsWith('/') || /^[A-Za-z]:\//.test(relative)) return PATH_TEXTS.absolute;
  if (/^[A-Za-z]:/.test(relative)) return PATH_TEXTS.drive;
  const parts = relative.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return PATH_TEXTS.parts;
  return parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES) ? PATH_TEXTS.longName : undefined;
}

/** Whether `target` is `root` or lies below it; both absolute and free of links. */
export function isInside(root: string, target: string): boolean {
  const relative = path.relative(root, target);
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
  );
}

/**
 * Examines a path below a resolved root without following a link out of it.
 * @param turns shared by concurrent calls
 */
export async function describePath(root: string, relative: string, turns?: Turns): Promise<Described> {
  const problem = pathProblem(relative);
  if (problem !== undefined) return { kind: 'skip', reason: problem, unsafe: true };
  const absolute = path.join(root, relative);
  let stats: Stats;
  try {
    stats = await look(absolute, turns);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      return { kind: 'skip', reason: DISAPPEARED, unsafe: false };
    }
    throw unreadable(relative, error);
  }
  if (stats.isDirectory()) return { kind: 'directory' };
  if (stats.isSymbolicLink()) return describeLink(root, relative, absolute);
  if (!stats.isFile()) return { kind: 'skip', reason: `it is ${kindOf(stats)}`, unsafe: false };
  return { kind: 'file', file: toFile(relative, stats) };
}

function look(absolute: string, turns?: Turns): Promise<Stats> {
  if (turns && !turns.isSlow) return turns.take(() => lstatSync(absolute));
  turns?.countSlow();
  return lstat(absolute);
}

/** The error for an unreadable file or directory. */
export function unreadable(relative: string, cause: unknown): BundleError {
  const code = systemCode(cause) ?? 'error';
  return new BundleError(
    'unreadable',
    relative === ''
      ? wording(BUNDLE_TEXTS.unreadableDirectory, code)
      : wording(BUNDLE_TEXTS.unreadable, relative, code),
    { paths: [relative], cause },
  );
}

/** Refuses two paths that differ only in case or Unicode form; on many disks they are the same file. */
export function refuseCaseCollisions(files: readonly BundleFile[]): void {
  const seen = new Map<string, string>();
  for (const { path: name } of files) {
    const folded = fold(name);
    const other = seen.get(folded);
    if (other !== undefined) {
      const isCase = other.toLowerCase() === name.toLowerCase();
      const text = isCase ? BUNDLE_TEXTS.sameButCase : BUNDLE_TEXTS.sameButUnicode;
      throw new BundleError('case-collision', { text, values: [other, name] }, { paths: [other, name] });
    }
    seen.set(folded, name);
  }
}

/** Normalising costs far more than checking whether it is needed. */
function fold(name: string): string {
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  return (/^[\u0000-\u007f]*$/.test(name) ? name : name.normalize('NFC')).toLowerCase();
}

/** Sorts by code unit, so that the order is the same on every machine. */
export function comparePaths(a: { path: string }, b: { path: string }): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}

async function describeLink(root: string, relative: string, absolute: string): Promise<Described> {
  let target: string;
  let stats: Stats;
  try {
    target = await realpath(absolute);
    stats = await stat(target);
  } catch (error) {
    const reason = systemCode(error) === 'ELOOP' ? 'a circular link' : 'a broken link';
    return { kind: 'skip', reason, unsafe: true };
  }
  if (!isInside(root, target)) {
    return { kind: 'skip', reason: 'a link that leads outside the directory', unsafe: true };
  }
  if (stats.isDirectory()) {
    return {
      kind: 'skip',
      reason: 'a link to a directory; only links to files are followed',
      unsafe: true,
    };
  }
  if (!stats.isFile()) return { kind: 'skip', reason: `a link to ${kindOf(stats)}`, unsafe: true };
  const source = path.relative(root, target).split(path.sep).join('/');
  return { kind: 'file', file: { ...toFile(relative, stats), source } };
}

function toFile(relative: string, stats: Stats): BundleFile {
  return {
    path: relative,
    size: stats.size,
    mode: (stats.mode & 0o100) === 0 ? 0o644 : 0o755,
    stamp: stampOf(stats),
  };
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isBlockDevice() || stats.isCharacterDevice()) return 'a device';
  return 'not a regular file';
}
