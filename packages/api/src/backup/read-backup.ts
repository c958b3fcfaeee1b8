// Reads a whole backup without unpacking it: whether it is complete, and its contents.
import { text } from 'node:stream/consumers';
import { list, type ReadEntry } from 'tar';
import { DATABASE, FORMAT, isMember, NOTE, type BackupContents, type BackupNote } from './backup-note.ts';

/** The file is no complete backup that this version can read. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Maximum bytes of a note; it has a line for each directory that is not in the backup. */
const MAX_NOTE_BYTES = 2 ** 24;

/** @throws BackupError for a truncated, damaged or newer file, or no backup; else the system's error */
export async function readBackup(file: string): Promise<BackupContents> {
  const bundles = new Set<string>();
  const sites = new Set<string>();
  const found = { last: '', hasDatabase: false };
  const notes: Promise<string>[] = [];
  const wrong: string[] = [];
  const look = (entry: ReadEntry) => {
    const { path } = entry;
    found.last = path;
    if (!isMember(path)) wrong.push(path);
    if (path === DATABASE) found.hasDatabase = true;
    const [folder, name, version] = path.split('/');
    if (folder === 'bundles') bundles.add(path);
    if (folder === 'content') sites.add(`${folder}/${name}/${version}`);
    if (path === NOTE && entry.size < MAX_NOTE_BYTES) notes.push(textOf(entry));
  };
  try {
    await list({ file, strict: true, onReadEntry: look });
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause) throw cause;
    throw new BackupError(`${file} is no backup of Pressroom, or is damaged.`, { cause });
  }
  if (wrong[0] !== undefined) throw new BackupError(`${file} is no backup of Pressroom: it has ${wrong[0]}.`);
  const note = found.last === NOTE ? noteIn(file, (await Promise.all(notes)).at(-1)) : null;
  if (note === null) throw new BackupError(`${file} is not whole: its end is missing.`);
  if (note.format > FORMAT)
    throw new BackupError(`${file} was made by a newer version of Pressroom (${note.version}).`);
  if (note.database === 'sqlite' && !found.hasDatabase)
    throw new BackupError(`${file} is damaged: its database is missing.`);
  for (const path of note.incomplete) sites.delete(path);
  return { note, bundles: bundles.size, sites: sites.size };
}

function textOf(entry: ReadEntry): Promise<string> {
  return text(entry as unknown as AsyncIterable<Buffer>);
}

function noteIn(file: string, written: string | undefined): BackupNote | null {
  try {
    const note = JSON.parse(written ?? '') as Partial<BackupNote>;
    const isNote =
      typeof note.format === 'number' &&
      [note.created, note.version, note.database, note.key].every((value) => typeof value === 'string') &&
      Array.isArray(note.incomplete);
    return isNote ? (note as BackupNote) : null;
  } catch (cause) {
    throw new BackupError(`${file} is damaged: what it says of itself cannot be read.`, { cause });
  }
}
