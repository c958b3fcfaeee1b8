// Backs up a running server: the database as of one moment, then the files it names.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DATABASE, FORMAT, NOTE, type BackupContents, type BackupNote } from '@pressroom/api/backup';
import { UNPACKING } from '../../deploys/sites/unpacked-sites.ts';
import { copyDatabase, filesNamedIn } from '../../platform/database/sqlite/copy.ts';
import { holdLeft, holdOwn } from '../../platform/held-directory.ts';
import { requireRestored } from '../../platform/unfinished-restore.ts';
import type { Config } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { openSecrets } from '../open-secrets.ts';
import { FILES, KEY_CHECK, KEY_FILE, tar, type Tar } from './backup-file.ts';

export interface Made extends BackupContents {
  readonly bytes: number;
}

export interface BackupOptions {
  /** Copies the database to a new file. */
  readonly copy?: (from: string, to: string) => void | Promise<void>;
  /** To be called before writing so many bytes. @throws if there is no space for them */
  readonly take?: (bytes: number) => Promise<void>;
  /** Aborts with its reason and leaves nothing behind. */
  readonly signal?: AbortSignal;
}

/** @throws if the file exists, or there is nothing to back up. */
export async function createBackup(
  config: Config,
  file: string,
  { copy = copyDatabase, take = async () => undefined, signal }: BackupOptions = {},
): Promise<Made> {
  const dataDir = resolve(config['Server.DataDir']);
  requireRestored(dataDir);
  const isHere = config['Database.URL'] === '';
  if (existsSync(file)) throw new Error(`${file} exists: name a new file`);
  if (!existsSync(dirname(file))) throw new Error(`there is no directory ${dirname(file)}: make it first`);
  if (isHere && !existsSync(join(dataDir, DATABASE)))
    throw new Error(`there is no ${join(dataDir, DATABASE)}: is Server.DataDir right?`);
  if (!isHere && !existsSync(dataDir)) throw new Error(`there is no ${dataDir}: is Server.DataDir right?`);
  if (isHere) accessSync(join(dataDir, DATABASE), constants.R_OK);
  const inSetting = config['Secrets.Key'] !== '';
  const secrets = openSecrets(config, dataDir);
  const created = new Date().toISOString();
  const run: Tar = (args, options) => tar(args, { ...options, signal });
  // Next to the target file, on its disk: the server's may be full.
  await removeLeft(dirname(file));
  const work = await mkdtemp(`${file}${WORK}`);
  const partial = join(work, 'backup.tar');
  const held = holdIfPossible(work);
  try {
    // Readable by nobody else from its first byte.
    await (await open(partial, 'wx', 0o600)).close();
    const inWork = join(work, DATABASE);
    if (isHere) {
      await take(sizeOf(join(dataDir, DATABASE)) + sizeOf(join(dataDir, `${DATABASE}-wal`)));
      await copy(join(dataDir, DATABASE), inWork);
    }
    const named = isHere ? namedIn(inWork) : await filesIn(dataDir);
    // Deployed files are unpacked from the store again.
    const isInStore = config['Storage.Type'] === 's3';
    const { bundles, sites } = isInStore ? { bundles: [], sites: [] } : named;
    const before = isHere ? [DATABASE] : [];
    const isThere = (path: string) => existsSync(join(dataDir, path));
    const own = inSetting ? FILES : [KEY_FILE, ...FILES];
    const [files, trees] = [[...own, ...bundles].filter(isThere), sites.filter(mayEnter(dataDir))];
    const ofFiles =
      (await sizeInArchive(run, dataDir, files)) + (await sizeInArchive(run, dataDir, trees, OF_CONTENT));
    await take(ofFiles + (isHere ? sizeOf(inWork) : 0));
    await run(['--create', ...FIRST, '--file', partial, '--directory', work, '--files-from', '-'], {
      input: before.join('\n'),
    });
    await append(run, partial, dataDir, files);
    await append(run, partial, dataDir, trees, OF_CONTENT);
    const read = new Set(trees.filter(isThere));
    const incomplete = sites.filter((path) => !read.has(path));
    const note: BackupNote = {
      format: FORMAT,
      created,
      version: VERSION,
      database: isHere ? 'sqlite' : 'elsewhere',
      bundles: isInStore ? 'elsewhere' : 'here',
      key: inSetting ? 'setting' : 'file',
      key_check: secrets.mac(created, KEY_CHECK),
      incomplete,
    };
    await writeFile(join(work, NOTE), `${JSON.stringify(note, null, 2)}\n`);
    await append(run, partial, work, [NOTE]);
    const bytes = await sync(partial);
    await rename(partial, file);
    return { note, bytes, bundles: bundles.length, sites: sites.length - incomplete.length };
  } finally {
    held?.[Symbol.dispose]();
    await rm(work, { recursive: true, force: true });
  }
}

/** Ends the name of the backup in that of its working directory, before six characters of mkdtemp. */
const WORK = '.work-';
const LEFT = /\.work-[A-Za-z0-9]{6}$/;

/** Removes what backups to the same directory left that were killed. */
async function removeLeft(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!LEFT.test(name)) continue;
    const path = join(directory, name);
    try {
      using left = holdLeft(path);
      if (left !== null) await rm(path, { recursive: true, force: true });
    } catch {
      // Of another account, or of something else.
    }
  }
}

/** Null where the file system of the target, such as that of another machine, has no locks: nobody removes it then. */
function holdIfPossible(work: string): Disposable | null {
  try {
    return holdOwn(work);
  } catch {
    return null;
  }
}

interface Paths {
  readonly bundles: readonly string[];
  readonly sites: readonly string[];
}

function namedIn(database: string): Paths {
  const { bundles, sites } = filesNamedIn(database);
  return {
    bundles: bundles.map((id) => `bundles/${id}.tar.gz`),
    sites: sites.map(({ guid, site }) => `content/${guid}/${site}`),
  };
}

/** All existing files, for a database elsewhere. */
async function filesIn(dataDir: string): Promise<Paths> {
  const list = (path: string) => readdir(join(dataDir, path)).catch(() => []);
  const bundles = (await list('bundles')).filter((name) => /^\d+\.tar\.gz$/.test(name));
  const sites: string[] = [];
  for (const guid of (await list('content')).filter((name) => name !== UNPACKING))
    for (const site of await list(`content/${guid}`)) sites.push(`content/${guid}/${site}`);
  return { bundles: bundles.map((name) => `bundles/${name}`), sites };
}

const PAX = ['--format=pax', '--pax-option=delete=atime,delete=ctime'];
/** tar appends members in the format of the previous one: without any pax attribute that is an older format. */
const FIRST = [...PAX, '--pax-option=comment:=backup'];
/** Longer paths cannot be restored. With nested directories, they would take far more space than the files. */
const MAX_PATH_LENGTH = 4095;
const TOO_LONG = ['--anchored', `--exclude=${'?'.repeat(MAX_PATH_LENGTH)}?*`];
/** Content can create files that are far larger than the disk, and long names: holes take no space. */
const OF_CONTENT = [...PAX, '--pax-option=delete=mtime', '--sparse', '--sparse-version=1.0', ...TOO_LONG];

async function append(
  run: Tar,
  archive: string,
  directory: string,
  paths: readonly string[],
  options?: readonly string[],
): Promise<void> {
  await run(['--append', '--file', archive, ...namesOf(directory, options)], ofPaths(paths));
}

/** Bytes of the archive; tar reads no files if the output is discarded. */
async function sizeInArchive(
  run: Tar,
  directory: string,
  paths: readonly string[],
  options?: readonly string[],
): Promise<number> {
  const args = ['--create', '--file', '/dev/null', '--totals', ...namesOf(directory, options)];
  const { complaints } = await run(args, ofPaths(paths));
  return Number(/^Total bytes written: (\d+)/m.exec(complaints.join('\n'))?.[1]);
}

function namesOf(directory: string, options: readonly string[] = FIRST): string[] {
  const names = [...options, '--null', '--verbatim-files-from', '--files-from', '-'];
  return ['--directory', directory, '--ignore-failed-read', ...names];
}

const ofPaths = (paths: readonly string[]) => ({
  input: paths.map((path) => `${path}\0`).join(''),
  allowed: [0, 1],
});

/** Content may have closed its directory to the account that makes the backup. */
function mayEnter(directory: string): (path: string) => boolean {
  return (path) => {
    try {
      accessSync(join(directory, path), constants.R_OK | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
}

/** Bytes; 0 if the file does not exist. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns the size. */
async function sync(file: string): Promise<number> {
  await using handle = await open(file, 'r+');
  await handle.sync();
  return (await handle.stat()).size;
}
