// Records of a folder that is not on disk change on both sides: here when it is published, there by colleagues. The
// last known state of the original is stored with the copy, to tell which side changed a record.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Uri, type FileSystem } from 'vscode';

export const RECORDS = '.pressroom/deployments';
const SEEN = '.pressroom/seen';

/**
 * Applies changes made there; unsaved changes made here stay.
 * @param there names of the records there
 * @param read of a file there
 */
export async function followRecords(
  copy: string,
  there: readonly string[],
  read: (file: string) => Promise<Uint8Array>,
): Promise<void> {
  const seen = await recordsIn(path.join(copy, SEEN));
  for (const name of new Set([...there, ...seen.keys()])) {
    const theirs = there.includes(name) ? Buffer.from(await read(`${RECORDS}/${name}`)) : undefined;
    if (isSame(theirs, seen.get(name))) continue;
    // In this order: if interrupted between the two, their version is not mistaken for a local change.
    await put(path.join(copy, RECORDS, name), theirs);
    await put(path.join(copy, SEEN, name), theirs);
  }
}

/** Writes local changes to the original. Removes no record that was never seen there. */
export async function saveRecords(fs: FileSystem, copy: string, original: Uri): Promise<void> {
  if (fs.isWritableFileSystem(original.scheme) === false) return;
  const own = await recordsIn(path.join(copy, RECORDS));
  const seen = await recordsIn(path.join(copy, SEEN));
  for (const name of new Set([...own.keys(), ...seen.keys()])) {
    const ours = own.get(name);
    if (isSame(ours, seen.get(name))) continue;
    const folder = Uri.joinPath(original, RECORDS);
    const uri = Uri.joinPath(folder, name);
    if (ours === undefined) await fs.delete(uri).then(undefined, unlessNotFound);
    else {
      await fs.createDirectory(folder);
      await fs.writeFile(uri, ours);
    }
    await put(path.join(copy, SEEN, name), ours);
  }
}

/** For files that may be missing: rethrows other errors of the editor's file system. */
export function unlessNotFound(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'FileNotFound') throw error;
  return undefined;
}

async function recordsIn(folder: string): Promise<Map<string, Buffer>> {
  // An unreadable folder must not look like one without records, which would remove them there.
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  const records = new Map<string, Buffer>();
  for (const name of names.filter((file) => file.endsWith('.toml')))
    records.set(name, await readFile(path.join(folder, name)));
  return records;
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

async function put(file: string, text: Buffer | undefined): Promise<void> {
  if (text === undefined) return rm(file, { force: true });
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
