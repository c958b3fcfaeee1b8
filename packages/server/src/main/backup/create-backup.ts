// Makes a backup while the server runs: the database as it is at one moment, then the files that it names.
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DATABASE, FORMAT, NOTE, type BackupContents, type BackupNote } from '@pressroom/api/backup';
import { copyDatabase, filesNamedIn } from '../../platform/database/sqlite/copy.ts';
import { previousKeys, readSecretKey } from '../../platform/secrets/secret-key.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import type { Config } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { FILES, KEY_CHECK, tar, type Tar } from './backup-file.ts';

export interface Made extends BackupContents {
  readonly bytes: number;
}

export interface BackupOptions {
  /** Copies the database to a new file. */
  readonly copy?: (from: string, to: string) => void | Promise<void>;
  /** To be called before so many bytes are written. @throws where there is no room for them */
  readonly take?: (bytes: number) => Promise<void>;
  /** Aborted: it fails with the reason, and leaves nothing. */
  readonly signal?: AbortSignal;
}

/** @throws when the file exists, or there is nothing to back up. */
export async function createBackup(
  config: Config,
  file: string,
  { copy = copyDatabase, take = async () => undefined, signal }: BackupOptions = {},
): Promise<Made> {
  const dataDir = resolve(config['Server.DataDir']);
  const isHere = config['Database.URL'] === '';
  if (existsSync(file)) throw new Error(`${file} exists: name a new file`);
  if (!existsSync(dirname(file))) throw new Error(`there is no directory ${dirname(file)}: make it first`);
  if (isHere && !existsSync(join(dataDir, DATABASE)))
    throw new Error(`there is no ${join(dataDir, DATABASE)}: is Server.DataDir right?`);
  if (!isHere && !existsSync(dataDir)) throw new Error(`there is no ${dataDir}: is Server.DataDir right?`);
  const inSetting = config['Secrets.Key'] !== '';
  if (!inSetting && !existsSync(join(dataDir, 'secret.key')))
    throw new Error(`there is no ${join(dataDir, 'secret.key')}: is Secrets.Key set?`);
  const secrets = createSecrets(
    config['Secrets.Key'] || readSecretKey(dataDir),
    previousKeys(config['Secrets.PreviousKeys']),
  );
  const created = new Date().toISOString();
  const run: Tar = (args, options) => tar(args, { ...options, signal });
  // Beside the file, on the disk that takes the backup: that of the server may be full.
  const work = await mkdtemp(`${file}.work-`);
  const partial = join(work, 'backup.tar');
  try {
    // Nobody else may read it from its first byte on.
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
    const [files, trees] = [[...FILES, ...bundles].filter(isThere), sites.filter(isThere)];
    const ofFiles =
      (await sizeInArchive(run, dataDir, files)) + (await sizeInArchive(run, dataDir, trees, OF_CONTENT));
    await take(ofFiles + (isHere ? sizeOf(inWork) : 0));
    await run(['--create', ...FIRST, '--file', partial, '--directory', work, '--files-from', '-'], {
      input: before.join('\n'),
    });
    await append(run, partial, dataDir, files);
    await append(run, partial, dataDir, trees, OF_CONTENT);
    const incomplete = sites.filter((path) => !existsSync(join(dataDir, path)));
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
    await rm(work, { recursive: true, force: true });
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

/** All there are, where the database is elsewhere. */
async function filesIn(dataDir: string): Promise<Paths> {
  const list = (path: string) => readdir(join(dataDir, path)).catch(() => []);
  const bundles = (await list('bundles')).filter((name) => /^\d+\.tar\.gz$/.test(name));
  const sites: string[] = [];
  for (const guid of await list('content'))
    for (const site of await list(`content/${guid}`)) sites.push(`content/${guid}/${site}`);
  return { bundles: bundles.map((name) => `bundles/${name}`), sites };
}

const PAX = ['--format=pax', '--pax-option=delete=atime,delete=ctime'];
/** What is appended gets the form of the member before it: one with nothing to say about it is of an older form. */
const FIRST = [...PAX, '--pax-option=comment:=backup'];
/** Content can make files that are far larger than the disk, and names longer than older forms hold: holes take no place. */
const OF_CONTENT = [...PAX, '--pax-option=delete=mtime', '--sparse', '--sparse-version=1.0'];

async function append(
  run: Tar,
  archive: string,
  directory: string,
  paths: readonly string[],
  options?: readonly string[],
): Promise<void> {
  await run(['--append', '--file', archive, ...namesOf(directory, options)], ofPaths(paths));
}

/** Bytes: tar reads no file for what it throws away. */
async function sizeInArchive(
  run: Tar,
  directory: string,
  paths: readonly string[],
  options?: readonly string[],
): Promise<number> {
  const args = ['--create', '--file', '/dev/null', '--totals', ...namesOf(directory, options)];
  const { complaints } = await run(args, ofPaths(paths));
  return Number(/^Total bytes written: (\d+)/m.exec(complaints)?.[1]);
}

function namesOf(directory: string, options: readonly string[] = FIRST): string[] {
  const names = [...options, '--null', '--verbatim-files-from', '--files-from', '-'];
  return ['--directory', directory, '--ignore-failed-read', ...names];
}

const ofPaths = (paths: readonly string[]) => ({
  input: paths.map((path) => `${path}\0`).join(''),
  allowed: [0, 1],
});

/** Bytes; none where there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Answers the size. */
async function sync(file: string): Promise<number> {
  await using handle = await open(file, 'r+');
  await handle.sync();
  return (await handle.stat()).size;
}
