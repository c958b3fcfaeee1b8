// Copies on disk of folders that are not on disk (in a remote repository, in an archive), read through the editor's file
// system, so that everything that works with files on disk works with them.
import { lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aborted } from 'node:util';
import { collectFiles, mapLimited, pathProblem, defaultExclusion } from '@pressroom/api/publish';
import { FileType, l10n, Uri, type FileStat, type FileSystem } from 'vscode';
import { followRecords, RECORDS, saveRecords } from './copied-records.ts';
import { IGNORE_FILE } from './ignore-file.ts';

export interface Copies {
  /** Brings the copy of a directory up to date, once no upload reads it. Returns what could not be copied. */
  update(original: Uri, copy: string, options?: UpdateOptions): Promise<string[]>;
  /** As `update`; then the copy, its parents and its children do not change until `release` is called. */
  take(original: Uri, copy: string, options?: TakeOptions): Promise<Taken>;
  /** As `update`, without waiting for uploads. Returns false where it left the copy as it is. */
  scan(original: Uri, copy: string, options?: ScanOptions): Promise<boolean>;
  /** Writes the records that publishing changed back to the original. */
  save(copy: string, original: Uri): Promise<void>;
}

interface UpdateOptions {
  /** gitignore patterns of what is never published. */
  readonly exclude?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface TakeOptions extends UpdateOptions {
  /** Gets what it waits for. */
  readonly show?: (text: string) => void;
}

interface ScanOptions extends Pick<UpdateOptions, 'exclude'> {
  /** Nothing below the top. */
  readonly shallow?: boolean;
}

export interface Taken {
  /** What cannot be copied, in sentences. */
  readonly lacks: readonly string[];
  readonly release: () => void;
}

const PRESSROOM = '.pressroom';
const RECORD = /(^|\/)\.pressroom\/deployments\/[^/]+\.toml$/;
/** The folders that lead to records; nothing else of `.pressroom` is copied. */
const TO_RECORDS = /(^|\/)\.pressroom(\/deployments)?$/;
/** Bytes. The editor reads files whole: larger ones would not fit into the memory of its extension host. */
const LARGEST = 100 * 1024 * 1024;
/** Files that tell how to publish, such as a lock file, are small; they are read even where they are excluded. */
const LARGEST_OPTIONAL = 1024 * 1024;
const AT_ONCE = 8;

/** What an original holds, by path: '' is the directory itself. */
interface Listing {
  readonly files: Set<string>;
  readonly directories: Set<string>;
  readonly records: Set<string>;
  readonly problems: string[];
}

export function createCopies(fs: FileSystem): Copies {
  /** Directories whose files are read for an upload, with its end. */
  const uploads = new Map<string, Promise<void>>();
  const uploadAround = (copy: string) => [...uploads.keys()].find((other) => overlaps(other, copy));
  /** Directories with files of unknown time: each scan would read them whole. */
  const untimed = new Set<string>();
  /** Work on the same files runs one after the other: a tree and a deploy may want them at once. */
  const turns = new Map<Promise<unknown>, string>();

  function serialize<T>(copy: string, work: () => Promise<T>): Promise<T> {
    const before = [...turns].filter(([, other]) => overlaps(other, copy)).map(([turn]) => turn);
    const turn = Promise.allSettled(before).then(work);
    const end = () => void turns.delete(turn);
    turns.set(turn, copy);
    turn.then(end, end);
    return turn;
  }

  /** Queues the work before anything else can take the files: what is queued before an upload is done before it. */
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
    if (size <= LARGEST) return fs.readFile(from);
    throw new Error(l10n.t('{0} is too large to publish from a virtual workspace. Exclude it.', relative));
  }

  /** Copies one file if it has changed; without times it is always read. */
  async function fetch(original: Uri, copy: string, relative: string, optional = false): Promise<void> {
    const from = Uri.joinPath(original, relative);
    const to = path.join(copy, relative);
    const [there, here] = [await fs.stat(from), await lstat(to)];
    if (there.mtime === 0) untimed.add(copy);
    if (isSame(there, here) || (optional && there.size > LARGEST_OPTIONAL)) return;
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
    // A failure was reported when it happened; here it is only retried.
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

/** Whether a path is a directory, or lies in it. */
export function isWithin(home: string, dir: string): boolean {
  return dir === home || dir.startsWith(`${home}${path.sep}`);
}

/** The innermost of the directories that a path is, or lies in. */
export function innermost(dirs: Iterable<string>, file: string): string | undefined {
  return [...dirs].filter((dir) => isWithin(dir, file)).toSorted((a, b) => b.length - a.length)[0];
}

/** Whether one of two directories lies in the other, or they are the same. */
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

/** Gives the copy the directories of the original, an empty file for each missing one, and removes the rest except records. */
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
