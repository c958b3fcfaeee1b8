// Copies on disk of folders that are elsewhere (in a repository on a server, in an archive), read through the editor's
// own file system: what works with files on disk works with them, too.
import { lstat, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { collectFiles, mapLimited, pathProblem, standardExclusion } from '@pressroom/api';
import { FileType, l10n, Uri, type FileStat, type FileSystem } from 'vscode';

export interface Copies {
  /** Makes the copy of a directory like the original; only its top when not `deep`. Answers what cannot be copied. */
  update(original: Uri, copy: string, options?: UpdateOptions): Promise<string[]>;
  /** Once the looks under way have ended, `update` leaves this directory as it is, until what is answered is called. */
  hold(copy: string): Promise<() => void>;
  /** Writes what publishing changes in a directory, its records and its ignore file, back to the original. */
  save(copy: string, original: Uri): Promise<void>;
}

export interface UpdateOptions {
  /** gitignore patterns of what is never published. */
  readonly exclude?: readonly string[];
  readonly deep?: boolean;
}

const IGNORE = '.pressroomignore';
const RECORDS = '.pressroom/deployments';
const RECORD = /(^|\/)\.pressroom\/deployments\/[^/]+\.toml$/;
/** The folders that lead to records; nothing else of `.pressroom` is copied. */
const TO_RECORDS = /(^|\/)\.pressroom(\/deployments)?$/;
/** The editor hands files over whole: larger ones would not fit into the memory of its extension host. */
const LARGEST = 100 * 1024 * 1024;
/** What tells how to publish, such as a lock file, is small; it is read even where it stays out. */
const LARGEST_OPTIONAL = 1024 * 1024;
const AT_ONCE = 8;

/** What an original holds, by path: '' is the directory itself. */
interface Listing {
  readonly files: Set<string>;
  readonly directories: Set<string>;
  readonly problems: string[];
}

export function createCopies(fs: FileSystem): Copies {
  /** Records that the original has or had: only those are removed there, never a colleague's new one. */
  const known = new Map<string, Set<string>>();
  const held = new Set<string>();
  const isHeld = (copy: string) => [...held].some((other) => isWithin(other, copy) || isWithin(copy, other));
  /** One after the other: a tree and a deploy may look at the same files at once. */
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next;
    return next;
  }

  async function list(original: Uri, deep: boolean): Promise<Listing> {
    const listing: Listing = { files: new Set(), directories: new Set(['']), problems: [] };
    // Grows while it is gone through.
    for (const directory of listing.directories) {
      const entries = await fs.readDirectory(Uri.joinPath(original, directory));
      for (const [name, type] of entries) note(listing, directory, name, type, deep);
    }
    return listing;
  }

  function note(listing: Listing, directory: string, name: string, type: FileType, deep: boolean): void {
    const relative = directory === '' ? name : `${directory}/${name}`;
    if (type & FileType.SymbolicLink) {
      listing.problems.push(l10n.t('{0} is left out: it is a link.', relative));
    } else if (name.includes('/') || pathProblem(relative) !== undefined) {
      listing.problems.push(l10n.t('{0} is left out: its name cannot be used.', JSON.stringify(relative)));
    } else if (type & FileType.File) {
      if (TO_RECORDS.test(directory) && !RECORD.test(relative)) return;
      listing.files.add(relative);
    } else if (type & FileType.Directory) {
      const opened = TO_RECORDS.test(relative) || (deep && standardExclusion(relative) === undefined);
      if (opened) listing.directories.add(relative);
      else if (!TO_RECORDS.test(directory)) listing.files.add(`${relative}/`);
    }
  }

  /** Brings one file over, unless it has not changed; a file system that knows no times is always read. */
  async function fetch(original: Uri, copy: string, relative: string, optional = false): Promise<void> {
    const from = Uri.joinPath(original, relative);
    const to = path.join(copy, relative);
    const [there, here] = [await fs.stat(from), await lstat(to)];
    if (isSame(there, here) || (optional && there.size > LARGEST_OPTIONAL)) return;
    if (there.size > LARGEST) {
      throw new Error(
        l10n.t('{0} is too large to be published from a folder that is not on disk: exclude it.', relative),
      );
    }
    await writeFile(to, await fs.readFile(from));
    await utimes(to, new Date(), new Date(there.mtime));
  }

  async function update(original: Uri, copy: string, options: UpdateOptions): Promise<string[]> {
    const { exclude = [], deep = true } = options;
    const fetchAll = (paths: string[], optional = false) =>
      mapLimited(paths, AT_ONCE, undefined, (file) => fetch(original, copy, file, optional));
    const listing = await list(original, deep);
    const readOnly = fs.isWritableFileSystem(original.scheme) === false;
    await outline(copy, listing, readOnly);
    const files = [...listing.files].filter((file) => !file.endsWith('/'));
    await fetchAll(files.filter((file) => path.basename(file) === IGNORE));
    for (const record of files.filter((file) => RECORD.test(file))) {
      const own = await lstat(path.join(copy, record));
      const newer = readOnly && own.mtimeMs >= (await fs.stat(Uri.joinPath(original, record))).mtime;
      if (own.size === 0 || !newer) await fetch(original, copy, record);
    }
    known.set(copy, new Set(files.filter((file) => file.startsWith(RECORDS))));
    const collected = await collectFiles(copy, { exclude: [...exclude, ...(deep ? [] : ['/*/'])] });
    const wanted = new Set(collected.files.map((file) => file.path));
    await fetchAll(files.filter((file) => wanted.has(file)));
    const rest = files.filter((file) => !wanted.has(file) && !file.includes('/'));
    await fetchAll(
      rest.filter((file) => standardExclusion(file) === undefined),
      true,
    );
    return listing.problems;
  }

  async function save(copy: string, original: Uri): Promise<void> {
    if (fs.isWritableFileSystem(original.scheme) === false) return;
    const names = await readdir(path.join(copy, RECORDS)).catch(() => []);
    const records = names.filter((name) => name.endsWith('.toml')).map((name) => `${RECORDS}/${name}`);
    for (const file of [IGNORE, ...records]) {
      const text = await readFile(path.join(copy, file)).catch(() => undefined);
      if (text === undefined) continue;
      const uri = Uri.joinPath(original, file);
      const there = await Promise.resolve(fs.readFile(uri)).catch(() => undefined);
      if (there !== undefined && text.equals(there)) continue;
      await fs.createDirectory(Uri.joinPath(uri, '..'));
      await fs.writeFile(uri, text);
    }
    const gone = [...(known.get(copy) ?? [])].filter((file) => !records.includes(file));
    for (const file of gone)
      await Promise.resolve(fs.delete(Uri.joinPath(original, file))).catch(() => undefined);
    known.set(copy, new Set(records));
  }

  return {
    update: (original, copy, options = {}) =>
      inTurn(async () => (isHeld(copy) ? [] : update(original, copy, options))),
    hold: (copy) =>
      inTurn(async () => {
        held.add(copy);
        return () => void held.delete(copy);
      }),
    save: (copy, original) => inTurn(() => save(copy, original)),
  };
}

/** Whether a path is a directory, or lies in it. */
export function isWithin(home: string, dir: string): boolean {
  return dir === home || dir.startsWith(`${home}${path.sep}`);
}

function isSame(there: FileStat, here: { size: number; mtimeMs: number }): boolean {
  return (
    there.size === here.size &&
    (there.size === 0 || (there.mtime > 0 && there.mtime === Math.round(here.mtimeMs)))
  );
}

/** Gives the copy the directories of the original, and an empty file for each that it has not; the rest goes. */
async function outline(copy: string, { files, directories }: Listing, keepsRecords: boolean): Promise<void> {
  const present = new Set<string>();
  for (const directory of directories) {
    const entries = await readdir(path.join(copy, directory), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const relative = directory === '' ? entry.name : `${directory}/${entry.name}`;
      const closed = `${relative}/`;
      const wanted = entry.isDirectory()
        ? directories.has(relative) || files.has(closed)
        : files.has(relative);
      if (wanted) present.add(entry.isDirectory() ? closed : relative);
      else if (!keepsRecords || !(TO_RECORDS.test(relative) || RECORD.test(relative)))
        await rm(path.join(copy, relative), { recursive: true });
    }
  }
  for (const directory of directories) await mkdir(path.join(copy, directory), { recursive: true });
  for (const file of files) {
    if (present.has(file)) continue;
    if (file.endsWith('/')) await mkdir(path.join(copy, file));
    else await writeFile(path.join(copy, file), '');
  }
}
