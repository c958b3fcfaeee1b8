// Rules for names and sizes of archive entries: nothing outside the target, no duplicates, bounded sizes.
import { isUnprintable, quoteName } from '@pressroom/api/contract';
import type { ArchiveLimits } from './limits.ts';
import { badArchive } from './refusals.ts';

/** An entry that has passed the rules. */
export interface ArchiveEntry {
  /** Relative, "/"-separated, without "." or empty components; unique in the archive. */
  path: string;
  type: 'file' | 'directory';
  /** Bytes; 0 for directories. */
  size: number;
  /** The owner's execute bit. */
  executable: boolean;
  /** Directories created with this entry, outermost first; for a directory, itself included. */
  newDirectories: readonly string[];
}

/** An entry as the archive describes it, not checked yet. */
export interface EntryClaim {
  name: string;
  type: 'file' | 'directory';
  size: number;
  executable: boolean;
}

/** The rules for one archive; remembers every accepted name. */
export interface EntryRules {
  /** The checked entry, or null for the archive's own root ("./", "/"). @throws ApiError 135 */
  admit(claim: EntryClaim): ArchiveEntry | null;
  /** Counts bytes of extension headers towards the unpacked size. @throws ApiError 135 */
  spend(bytes: number): void;
  /** Counts a header without a file towards the number of entries. @throws ApiError 135 */
  count(): void;
}

/** File systems limit a name to this many bytes. */
const MAX_COMPONENT_BYTES = 255;

/** Characters of a path, on average over the permitted entries: all paths of an archive are held in memory. */
const AVERAGE_PATH_LENGTH = 256;

/** Starts the rules for one archive. */
export function createEntryRules(limits: ArchiveLimits): EntryRules {
  const maxNames = limits.maxEntries * AVERAGE_PATH_LENGTH;
  // By folded path, to find names that some file systems treat as one: "A" and "a", "é" in two encodings.
  const seen = new Map<string, { path: string; type: 'file' | 'directory' }>();
  let entries = 0;
  let names = 0;
  let unpacked = 0;

  function count(): void {
    entries += 1;
    if (entries > limits.maxEntries) throw badArchive(`it has more than ${limits.maxEntries} entries`);
  }

  function spend(bytes: number): void {
    unpacked += bytes;
    if (unpacked > limits.maxUnpackedBytes) {
      throw badArchive(`it unpacks to more than ${limits.maxUnpackedBytes} bytes`);
    }
  }

  function remember(path: string, type: 'file' | 'directory'): void {
    count();
    names += path.length;
    if (names > maxNames)
      throw badArchive(`the paths of its entries have more than ${maxNames} characters together`);
    seen.set(fold(path), { path, type });
  }

  /** Ensures that every parent of `path` is a directory; returns the new ones. */
  function openParents(path: string): string[] {
    const added: string[] = [];
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const parent = path.slice(0, slash);
      const before = seen.get(fold(parent));
      if (before === undefined) {
        remember(parent, 'directory');
        added.push(parent);
      } else if (before.type === 'file') {
        throw badArchive(`entry ${quoteName(path)} lies under the file ${quoteName(before.path)}`);
      } else if (before.path !== parent) {
        throw badArchive(`entries ${quoteName(parent)} and ${quoteName(before.path)} have the same name`);
      }
    }
    return added;
  }

  function admit(claim: EntryClaim): ArchiveEntry | null {
    const path = vetName(claim, limits);
    spend(claim.size);
    if (path === '') {
      count();
      return null;
    }
    const newDirectories = openParents(path);
    const before = seen.get(fold(path));
    if (before === undefined) {
      remember(path, claim.type);
      if (claim.type === 'directory') newDirectories.push(path);
    } else if (claim.type === 'directory' && before.type === 'directory' && before.path === path) {
      // `tar` lists a directory again when it is given twice, and after its files: harmless, but counted.
      count();
    } else {
      throw badArchive(`entries ${quoteName(path)} and ${quoteName(before.path)} have the same name`);
    }
    return { path, type: claim.type, size: claim.size, executable: claim.executable, newDirectories };
  }

  return { admit, spend, count };
}

/** The normalised path of an entry; '' for the root. */
function vetName({ name, type }: EntryClaim, limits: ArchiveLimits): string {
  const shown = quoteName(name);
  if (name === '') throw badArchive('an entry has no name');
  // Python's tarfile writes a root directory without a name as "/".
  if (name === '/' && type === 'directory') return '';
  if (name.startsWith('/')) throw badArchive(`entry ${shown} has an absolute path`);
  if (name.includes('\\')) throw badArchive(`entry ${shown} has a backslash in its path`);
  if (name.includes('\0')) throw badArchive(`entry ${shown} has a NUL in its path`);
  if (isUnprintable(name))
    throw badArchive(`entry ${shown} has a line end, a control or an invisible character in its name`);
  if (/^[A-Za-z]:/.test(name)) throw badArchive(`entry ${shown} has a drive letter`);
  if (Buffer.byteLength(name) > limits.maxPathBytes) {
    throw badArchive(`the path of entry ${shown} is longer than ${limits.maxPathBytes} bytes`);
  }
  const components = name.split('/').filter((component) => component !== '' && component !== '.');
  if (components.includes('..')) throw badArchive(`entry ${shown} has ".." in its path`);
  if (components.length > limits.maxDepth) {
    throw badArchive(`entry ${shown} is more than ${limits.maxDepth} directories deep`);
  }
  if (components.some((component) => Buffer.byteLength(component) > MAX_COMPONENT_BYTES)) {
    throw badArchive(`entry ${shown} has a name longer than ${MAX_COMPONENT_BYTES} bytes`);
  }
  if (type === 'file' && /(?:^|\/)\.?$/.test(name))
    throw badArchive(`entry ${shown} is a file without a name`);
  return components.join('/');
}

/** The same string for all names that a case-insensitive or normalising file system treats as one. */
function fold(path: string): string {
  if (/^[\0-\x7f]*$/.test(path)) return path.toLowerCase();
  // Upper case first: "ß" and "SS" share their upper case but not their lower case.
  return path.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}
