// Restores a backup into an empty data directory after checking all of it; a failure leaves the directory empty.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, chmod, constants, lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DATABASE, FORMAT, isMember, isSite, NOTE, type BackupNote } from '@pressroom/api/backup';
import { MIGRATIONS } from '../../platform/database/migrations.ts';
import { filesNamedIn, inspectFile } from '../../platform/database/sqlite/copy.ts';
import { errnoOf, messageOf } from '../../platform/errors.ts';
import { escapeControls } from '../../platform/escape-controls.ts';
import { previousKeys, readSecretKey } from '../../platform/secrets/secret-key.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import {
  beginRestore,
  endRestore,
  isRestoreUnfinished,
  RESTORE_MARK,
} from '../../platform/unfinished-restore.ts';
import { chownTree } from '../../runtime/sandbox/chown-tree.ts';
import { removeTree } from '../../runtime/sandbox/remove-tree.ts';
import { findTool } from '../../runtime/sandbox/tools.ts';
import type { Config } from '../config/settings.ts';
import { FILES, KEY_CHECK, KEY_FILE, tar, type Tar } from './backup-file.ts';

export interface Restored {
  readonly note: BackupNote;
  readonly dataDir: string;
  /** `missing`: Secrets.Key is not set here, but was on the other machine. */
  readonly key: 'fits' | 'missing' | 'another';
  /** Archives in the database but not in the backup. */
  readonly missingBundles: number;
}

/** Entries of a new disk. */
const EMPTY: ReadonlySet<string> = new Set(['lost+found']);

/**
 * @throws if the directory is not empty, the file is no complete backup of this version or an older one, or the restore
 * is aborted.
 */
export async function restoreBackup(config: Config, file: string, signal?: AbortSignal): Promise<Restored> {
  const run: Tar = (args, options) => tar(args, { ...options, signal });
  const dataDir = resolve(config['Server.DataDir']);
  await requireReadable(file);
  await requireEmpty(dataDir);
  const note = await readNote(run, file);
  const isHere = config['Database.URL'] === '';
  if (isHere && note.database !== 'sqlite')
    throw new Error('the backup is of a server with PostgreSQL: set Database.URL to the restored database');
  if (!isHere && note.database === 'sqlite')
    throw new Error('the backup has an SQLite database: restore it without Database.URL');
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  // Reading the backup took a while: a server may have been started.
  await requireEmpty(dataDir);
  using _running = await beginRestore(dataDir);
  try {
    await empty(dataDir);
    await unpack(run, file, dataDir);
    await rm(join(dataDir, NOTE));
    // The server redeploys these.
    for (const path of note.incomplete) await rm(join(dataDir, path), { recursive: true, force: true });
    await closeFiles(dataDir);
    await closeDirectories(dataDir);
    const missing = isHere ? checkDatabase(dataDir) : 0;
    const missingBundles = config['Storage.Type'] === 's3' ? 0 : missing;
    const key = checkKey(config, dataDir, note);
    await giveToOwner(dataDir);
    await sync(dataDir);
    await endRestore(dataDir);
    return { note, dataDir, key, missingBundles };
  } catch (error) {
    await empty(dataDir);
    // Last: with a part of a restore but no mark, a server would start.
    await endRestore(dataDir);
    throw error;
  }
}

async function requireReadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    throw errnoOf(error) === 'ENOENT' ? new Error(`there is no ${file}`, { cause: error }) : error;
  }
}

/** An unfinished restore counts as nothing. */
async function requireEmpty(dataDir: string): Promise<void> {
  const there = await readdir(dataDir).catch(() => []);
  if (!isRestoreUnfinished(dataDir) && there.some((name) => !EMPTY.has(name)))
    throw new Error(
      `${dataDir} is not empty: stop the server, and move the directory away or name another as Server.DataDir`,
    );
}

/** Removes what a restore left, but for its mark. */
async function empty(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (!EMPTY.has(name) && name !== RESTORE_MARK) await removeTree(join(dataDir, name));
}

/** Modes are restored without setuid and setgid bits, which would grant the rights of whoever restores. */
async function unpack(run: Tar, file: string, dataDir: string): Promise<void> {
  const args = ['--extract', '--no-same-permissions', '--no-same-owner', '--file', file];
  const before = process.umask(0o022);
  try {
    // Content can nest directories beyond the maximum path length: such files are lost.
    await run([...args, '--directory', dataDir], { forgiven: /: File name too long$/ });
  } finally {
    process.umask(before);
  }
}

/**
 * Whoever made the backup may have put links to files of this machine in place of the server's own, and let everybody read
 * these: accounts of content get to them.
 */
async function closeFiles(dataDir: string): Promise<void> {
  const bundles = await readdir(join(dataDir, 'bundles')).catch(() => []);
  for (const name of [DATABASE, KEY_FILE, ...FILES, ...bundles.map((one) => `bundles/${one}`)]) {
    const file = join(dataDir, name);
    const found = await lstat(file).catch(() => null);
    if (found?.isFile() === false)
      throw new Error(`the backup has something else in place of the file ${name}`);
    if (found !== null) await chmod(file, 0o600);
  }
}

/** Characters: some ten thousand deployments whose files are missing are named in fewer. */
const MAX_NOTE = 4 * 2 ** 20;

async function readNote(run: Tar, file: string): Promise<BackupNote> {
  const { last, stranger } = await members(run, file);
  if (stranger !== undefined) throw new Error(`${file} is no backup of Pressroom: it has ${stranger}`);
  if (await hasDevice(run, file)) throw new Error(`${file} is no backup of Pressroom: it has a device`);
  if (last !== NOTE) throw new Error(`${file} is not whole: its end is missing`);
  const note = JSON.parse(
    (await run(['--extract', '--to-stdout', '--file', file, NOTE], { limit: MAX_NOTE })).printed,
  ) as BackupNote;
  if (note.format > FORMAT)
    throw new Error(
      `${file} was made by a newer version of Pressroom (${escapeControls(String(note.version))})`,
    );
  const other = note.incomplete.find((path) => !isSite(path));
  if (other !== undefined)
    throw new Error(`${file} is no backup of Pressroom: its note names ${JSON.stringify(other)}`);
  return note;
}

interface Members {
  readonly last: string | undefined;
  /** The first one that is not of a backup. */
  readonly stranger: string | undefined;
}

/** One per line, although names of content files may contain line breaks. */
async function members(run: Tar, file: string): Promise<Members> {
  let last: string | undefined;
  let stranger: string | undefined;
  const onLine = (name: string) => {
    last = name;
    if (!isMember(name)) stranger ??= name;
  };
  try {
    await run(['--list', '--quoting-style=escape', '--file', file], { onLine });
    return { last, stranger };
  } catch (cause) {
    if (!messageOf(cause).startsWith('tar ended')) throw cause;
    throw new Error(`${file} is no backup of Pressroom, or is damaged`, { cause });
  }
}

/** Content makes none, and one made by root reads the disks of the machine. */
async function hasDevice(run: Tar, file: string): Promise<boolean> {
  let isThere = false;
  const onLine = (line: string) => void (isThere ||= /^[bc]/.test(line));
  await run(['--list', '--verbose', '--quoting-style=escape', '--file', file], { onLine });
  return isThere;
}

/** Without this, files could be empty after a power cut, and the mark gone. tar itself leaves that to the system. */
async function sync(dataDir: string): Promise<void> {
  const program = findTool('sync');
  if (program !== null) await promisify(execFile)(program, ['--file-system', dataDir]);
}

/** As the server creates them: accounts of content may traverse but not list them. */
async function closeDirectories(dataDir: string): Promise<void> {
  const content = join(dataDir, 'content');
  const guids = await readdir(content).catch(() => []);
  if (existsSync(content)) await chmod(content, 0o711);
  for (const guid of guids) {
    await chmod(join(content, guid), 0o711);
    // What is served is below it.
    for (const entry of await readdir(join(content, guid), { withFileTypes: true }))
      if (entry.isSymbolicLink())
        throw new Error(`the backup has a link in place of the directory content/${guid}/${entry.name}`);
  }
  if (existsSync(join(dataDir, 'bundles'))) await chmod(join(dataDir, 'bundles'), 0o700);
}

/** A start as root gives its account only what is in a directory of root: an emptied one may have been given to it. */
async function giveToOwner(dataDir: string): Promise<void> {
  const { uid, gid } = await stat(dataDir);
  if (process.getuid?.() === 0 && uid !== 0) await chownTree(await realpath(dataDir), { uid, gid });
}

/** Returns the number of missing archives. @throws if the database is damaged, or was written by a newer server. */
function checkDatabase(dataDir: string): number {
  const file = join(dataDir, DATABASE);
  const { isWhole, steps } = inspectFile(file);
  if (!isWhole) throw new Error('the database in the backup is damaged');
  if (steps > MIGRATIONS.length)
    throw new Error('the database in the backup was written by a newer version of Pressroom');
  const { bundles, sites } = filesNamedIn(file);
  if (!sites.every(({ guid, site }) => isSite(`content/${guid}/${site}`)))
    throw new Error('the database in the backup names deployed files elsewhere');
  return bundles.filter((id) => !existsSync(join(dataDir, `bundles/${id}.tar.gz`))).length;
}

function checkKey(config: Config, dataDir: string, note: BackupNote): Restored['key'] {
  const set = config['Secrets.Key'];
  if (set === '' && note.key === 'setting') return 'missing';
  const previous = previousKeys(config['Secrets.PreviousKeys']);
  const secrets = createSecrets(set || readSecretKey(dataDir), previous);
  return secrets.isMacOf(note.key_check, note.created, KEY_CHECK) ? 'fits' : 'another';
}
