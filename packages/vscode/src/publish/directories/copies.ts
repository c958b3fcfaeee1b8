// Copies on disk of folders that are not on disk (in a remote repository, in an archive), read through the editor's
// file system, for code that works with files on disk.
import { lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aborted } from 'node:util';
import { collectFiles, mapLimited, pathProblem, defaultExclusion } from '@pressroom/api/publish';
import { FileType, l10n, Uri, type FileStat, type FileSystem } from 'vscode';
import { followRecords, RECORDS, saveRecords } from './copied-records.ts';
import { IGNORE_FILE } from './ignore-file.ts';

export interface Copies {
  /** Updates the copy of a directory, after uploads that read it. Returns what could not be copied. */
  update(original: Uri, copy: string, options?: UpdateOptions): Promise<string[]>;
  /** Like `update`; then the copy, its parents and its children stay unchanged until `release` is called. */
  take(original: Uri, copy: string, options?: TakeOptions): Promise<Taken>;
  /** Like `update`, without waiting for uploads. Returns false if the copy was left unchanged. */
  scan(original: Uri, copy: string, options?: ScanOptions): Promise<boolean>;
  /** Writes changed records back to the original. */
  save(copy: string, original: Uri): Promise<void>;
}

interface UpdateOptions {
  /** gitignore patterns of files that are never published. */
  readonly exclude?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface TakeOptions extends UpdateOptions {
  /** Called with what it waits for. */
  readonly show?: (text: string) => void;
}

interface ScanOptions extends Pick<UpdateOptions, 'exclude'> {
  /** The top level only. */
  readonly shallow?: boolean;
}

export interface Taken {
  /** What could not be copied, as sentences. */
  readonly lacks: readonly string[];
  readonly release: () => void;
}

const PRESSROOM = '.pressroom';
const RECORD = /(^|\/)\.pressroom\/deployments\/[^/]+\.toml$/;
/** Directories that contain records; nothing else in `.pressroom` is copied. */
const TO_RECORDS = /(^|\/)\.pressroom(\/deployments)?$/;
/** Maximum bytes of a file. The editor reads whole files, which must fit in the memory of its extension host. */
const MAX_BYTES = 100 * 1024 * 1024;
/** Maximum bytes of excluded files that are read nevertheless, such as lock files. */
const MAX_OPTIONAL_BYTES = 1024 * 1024;
const AT_ONCE = 8;

/** Contents of an original, by path: '' is the directory itself. */
interface Listing {
  readonly files: Set<string>;
  readonly directories: Set<string>;
  readonly records: Set<string>;
  readonly problems: string[];
}

export function createCopies(fs: FileSystem): Copies {
  /** Directories being uploaded, with the end of each upload. */
  const uploads = new Map<string, Promise<void>>();
  const uploadAround = (copy: string) => [...uploads.keys()].find((other) => overlaps(other, copy));
  /** Directories with files without a modification time: each scan would read them completely. */
  const untimed = new Set<string>();
  /** Work on the same files runs one after another, for example for a tree and a deploy. */
  const turns = new Map<Promise<unknown>, string>();

  function serialize<T>(copy: string, work: () => Promise<T>): Promise<T> {
    const before = [...turns].filter(([, other]) => overlaps(other, copy)).map(([turn]) => turn);
    const turn = Promise.allSettled(before).then(work);
    const end = () => void turns.delete(turn);
    turns.set(turn, copy);
    turn.then(end, end);
    return turn;
  }

  /** Queues work: what is queued before an upload runs before it. */
  async function whenFree<T>(
    copy: string,
    { signal, show }: TakeOptions,
    work: () => Promise<T>,
  ): Promise<T> {
    for (let other = uploadAround(copy); other !== undefined; other = uploadAround(copy)) {
      show?.(l10n.t('Waiting for the upload of {0}…', path.basename(other)));
      const end = uploads.get(other);
      await (signal === undefined ? end : Promise.race([end, aborted(signal, uploads)]));
      signal?.throwIfAborted();
    }
    show?.(l10n.t('Reading files…'));
    return work();
  }

  async function list(original: Uri, deep: boolean, signal?: AbortSignal): Promise<Listing> {
    const listing: Listing = {
      files: new Set(),
      directories: new Set(['']),
      records: new Set(),
      problems: [],
    };
    // The set grows during the loop.
    for (const directory of listing.directories) {
      signal?.throwIfAborted();
      const entries = await fs.readDirectory(Uri.joinPath(original, directory));
      for (const [name, type] of entries) note(listing, directory, name, type, deep);
    }
    return listing;
  }

  function note(listing: Listing, directory: string, name: string, type: FileType, deep: boolean): void {
    const relative = directory === '' ? name : `${directory}/${name}`;
    if (type & FileType.SymbolicLink) {
      listing.problems.push(l10n.t('{0} is excluded because it is a symbolic link.', relative));
    } else if (name.includes('/') || pathProblem(relative) !== undefined) {
      listing.problems.push(
        l10n.t('{0} is excluded because its name is not supported.', JSON.stringify(relative)),
      );
    } else if (type & FileType.File) {
      if (RECORD.test(relative)) listing.records.add(relative);
      else if (!TO_RECORDS.test(directory) && name !== PRESSROOM) listing.files.add(relative);
    } else if (type & FileType.Directory) {
      const opened = TO_RECORDS.test(relative) || (deep && defaultExclusion(relative) === undefined);
      if (opened) listing.directories.add(relative);
      else if (!TO_RECORDS.test(directory)) listing.files.add(`${relative}/`);
    }
  }

  async function read(from: Uri, relative: string, { size }: FileStat): Promise<Uint8Array> {
    if (size <= MAX_BYTES) return fs.readFile(from);
    throw new Error(l10n.t('{0} is too large to publish from a virtual workspace. Exclude it.', relative));
  }

  /** Copies one file if it has changed; without a modification time always. */
  async function fetch(original: Uri, copy: string, relative: string, optional = false): Promise<void> {
    const from = Uri.joinPath(original, relative);
    const to = path.join(copy, relative);
    const [there, here] = [await fs.stat(from), await lstat(to)];
    if (there.mtime === 0) untimed.add(copy);
    if (isSame(there, here) || (optional && there.size > MAX_OPTIONAL_BYTES)) return;
    await writeFile(to, await read(from, relative, there));
    await utimes(to, new Date(), new Date(there.mtime));
  }

  async function bring(
    original: Uri,
    copy: string,
    { exclude = [], shallow = false, signal }: UpdateOptions & ScanOptions,
  ): Promise<string[]> {
    const fetchAll = (paths: string[], optional = false) =>
      mapLimited(paths, AT_ONCE, signal, (file) => fetch(original, copy, file, optional));
    const listing = await list(original, !shallow, signal);
    await outline(copy, listing);
    await bringRecords(original, copy, listing);
    const files = [...listing.files].filter((file) => !file.endsWith('/'));
    await fetchAll(files.filter((file) => path.basename(file) === IGNORE_FILE));
    const collected = await collectFiles(copy, { exclude: [...exclude, ...(shallow ? ['/*/'] : [])] });
    const wanted = new Set(collected.files.map((file) => file.path));
    await fetchAll(files.filter((file) => wanted.has(file)));
    const rest = files.filter((file) => !wanted.has(file) && !file.includes('/'));
    await fetchAll(
      rest.filter((file) => defaultExclusion(file) === undefined),
      true,
    );
    return listing.problems;
  }

  async function bringRecords(original: Uri, copy: string, listing: Listing): Promise<void> {
    for (const directory of listing.directories) {
      if (TO_RECORDS.test(directory)) continue;
      const home = path.join(copy, directory);
      await followRecords(home, namesOf(listing.records, directory), async (file) => {
        const from = Uri.joinPath(original, directory, file);
        return read(from, file, await fs.stat(from));
      });
    }
    // A failure was reported already; this only retries.
    await saveRecords(fs, copy, original).catch(() => undefined);
  }

  return {
    update: (original, copy, options = {}) =>
      whenFree(copy, options, () => serialize(copy, () => bring(original, copy, options))),
    take: (original, copy, options = {}) =>
      whenFree(copy, options, async () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        uploads.set(copy, promise);
        const release = () => {
          if (uploads.get(copy) === promise) uploads.delete(copy);
          resolve();
        };
        try {
          return { lacks: await serialize(copy, () => bring(original, copy, options)), release };
        } catch (error) {
          release();
          throw error;
        }
      }),
    async scan(original, copy, options = {}) {
      const slow = options.shallow !== true && untimed.has(copy);
      if (slow || uploadAround(copy) !== undefined) return false;
      await serialize(copy, () => bring(original, copy, options));
      return true;
    },
    save: (copy, original) => serialize(copy, () => saveRecords(fs, copy, original)),
  };
}

/** Whether a path is a directory, or in it. */
export function isWithin(home: string, dir: string): boolean {
  // The root of a disk ends with a separator.
  return dir === home || dir.startsWith(home.endsWith(path.sep) ? home : `${home}${path.sep}`);
}

/** The innermost of the directories that contain a path, or are it. */
export function innermost(dirs: Iterable<string>, file: string): string | undefined {
  return [...dirs].filter((dir) => isWithin(dir, file)).toSorted((a, b) => b.length - a.length)[0];
}

/** Whether one of two directories is in the other, or they are the same. */
export function overlaps(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function namesOf(records: ReadonlySet<string>, directory: string): string[] {
  const folder = path.posix.join(directory, RECORDS);
  return [...records]
    .filter((file) => path.posix.dirname(file) === folder)
    .map((file) => path.basename(file));
}

function isSame(there: FileStat, here: { size: number; mtimeMs: number }): boolean {
  return (
    there.size === here.size &&
    (there.size === 0 || (there.mtime > 0 && there.mtime === Math.round(here.mtimeMs)))
  );
}

/**
 * Creates the original's directories in the copy, an empty file for each missing one, and removes the rest except
 * records.
 */
async function outline(copy: string, { files, directories }: Listing): Promise<void> {
  const present = new Set<string>();
  for (const directory of directories) {
    if (TO_RECORDS.test(directory)) continue;
    const entries = await readdir(path.join(copy, directory), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name === PRESSROOM) continue;
      const relative = directory === '' ? entry.name : `${directory}/${entry.name}`;
      const closed = `${relative}/`;
      const wanted = entry.isDirectory()
        ? directories.has(relative) || files.has(closed)
        : files.has(relative);
      if (wanted) present.add(entry.isDirectory() ? closed : relative);
      else await rm(path.join(copy, relative), { recursive: true });
    }
  }
  for (const directory of directories) await mkdir(path.join(copy, directory), { recursive: true });
  for (const file of files) {
    if (present.has(file)) continue;
    if (file.endsWith('/')) await mkdir(path.join(copy, file));
    else await writeFile(path.join(copy, file), '');
  }
}
