// The deployment record of a directory: server, content item and kind. Safe to commit; never contains secrets.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'smol-toml';
import { wording, write, type Wording } from '../../client/failure-texts.ts';
import { RECORD_HINTS, RECORD_TEXTS } from '../problem-texts.ts';

export interface DeploymentRecord {
  /** Address of the server, normalised as by createClient. */
  server: string;
  /** The content item. */
  guid: string;
  /** Name of the content on the server. */
  name: string;
  app_mode: string;
  /** File, or `module:object` for a Python API; null if not needed. */
  entrypoint: string | null;
  /** Which rendering of a document visitors see; absent for the server's. */
  rendering?: 'both' | 'local';
  /** The live bundle, as far as known; null before the first. */
  bundle_id: string | null;
  /** When that bundle went live, UTC; before the first, when it was attempted. */
  deployed_time: string;
  /** Display name of the target, such as staging. */
  target?: string;
}

/** A record and the file it is in. */
export interface StoredRecord extends DeploymentRecord {
  file: string;
}

/** An unusable record or directory; the message says which and why. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly file: string;
  readonly hint: string;
  readonly wording: Wording;

  constructor(file: string, problem: string | Wording, cause?: unknown, hint: string = RECORD_HINTS.restore) {
    const why = typeof problem === 'string' ? wording(problem) : problem;
    const whole = wording(RECORD_TEXTS.unusable, file, why);
    super(write(whole), cause === undefined ? {} : { cause });
    this.file = file;
    this.hint = hint;
    this.wording = whole;
  }
}

/** Valid names of targets: one line of up to 40 characters, without invisible ones at either end. */
export const TARGET_NAME = /^(?!\s)[^\p{Cc}]{1,40}(?<!\s)$/u;

const FOLDER = path.join('.pressroom', 'deployments');
const VERSION = 1;
const MAX_BYTES = 64 * 1024;
const MAX_RECORDS = 200;
const HEADING =
  '# Written by pressroom when it publishes; safe to commit. Delete it to publish as new content.\n';

/** All records of a directory, newest first. Throws RecordError for an invalid one. */
export async function readRecords(dir: string): Promise<StoredRecord[]> {
  const folder = path.join(dir, FOLDER);
  if (!(await isOwnFolder(dir))) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.toml')).toSorted();
  const records: StoredRecord[] = [];
  for (const name of names.slice(0, MAX_RECORDS)) {
    const file = path.join(folder, name);
    records.push({ ...parseRecord(await readSmall(file), file), file });
  }
  return records.toSorted((a, b) => (a.deployed_time < b.deployed_time ? 1 : -1));
}

/** The newest record for a server, or the one with a name there; undefined if there is none. */
export async function findRecord(
  dir: string,
  server: string,
  name?: string,
): Promise<StoredRecord | undefined> {
  const records = await readRecords(dir);
  return records.find((record) => record.server === server && (name === undefined || record.name === name));
}

/** The record of a content item; undefined if there is none. */
export async function findContentRecord(
  dir: string,
  { server, guid }: Pick<DeploymentRecord, 'server' | 'guid'>,
): Promise<StoredRecord | undefined> {
  return (await readRecords(dir)).find((record) => record.server === server && record.guid === guid);
}

/** Writes a record atomically; returns its file. */
export async function writeRecord(dir: string, record: DeploymentRecord, file?: string): Promise<string> {
  const target = file ?? (await freeFile(dir, record));
  const text = `${HEADING}${stringify(withoutNulls({ version: VERSION, ...record }))}`;
  // An unreadable record would lose the link to the content.
  parseRecord(text, target);
  // A directory that was renamed or deleted meanwhile is not recreated.
  await stat(dir);
  await mkdir(path.dirname(target), { recursive: true });
  if (!(await isOwnFolder(dir))) throw new RecordError(target, RECORD_TEXTS.link);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return target;
}

/** Updates the record of a content item with its live bundle; null if there is no record. */
export async function noteDeployed(
  dir: string,
  deployed: Pick<DeploymentRecord, 'server' | 'guid' | 'bundle_id' | 'deployed_time'>,
): Promise<string | null> {
  const found = await findContentRecord(dir, deployed);
  if (found === undefined) return null;
  const { file, ...record } = found;
  return writeRecord(dir, { ...record, ...deployed }, file);
}

/** Removes the record of a directory, if it exists. */
export async function removeRecord(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** Removes a first record, with the folders created for it. */
export async function removeNewRecord(file: string): Promise<void> {
  await removeRecord(file);
  const folder = path.dirname(file);
  // Folders with other files stay.
  await rmdir(folder)
    .then(() => rmdir(path.dirname(folder)))
    .catch(() => undefined);
}

/** Validates everything: the repository may have been written by somebody else. Throws RecordError. */
export function parseRecord(text: string, file: string): DeploymentRecord {
  let fields: Record<string, unknown>;
  try {
    fields = parse(text);
  } catch (error) {
    if (/^(?:<{7}|={7}|>{7})/m.test(text))
      throw new RecordError(file, RECORD_TEXTS.conflicts, error, RECORD_HINTS.resolve);
    throw new RecordError(file, RECORD_TEXTS.notToml, error);
  }
  // If written again, it would lose fields that this version does not know.
  if (typeof fields['version'] === 'number' && fields['version'] > VERSION)
    throw new RecordError(file, RECORD_TEXTS.later, undefined, RECORD_HINTS.update);
  const field = (name: string, pattern: RegExp): string => {
    const value = fields[name];
    if (typeof value !== 'string' || !pattern.test(value))
      throw new RecordError(file, wording(RECORD_TEXTS.field, name));
    return value;
  };
  const optional = (name: string, pattern: RegExp) =>
    fields[name] === undefined ? null : field(name, pattern);
  const server = field('server', /^https?:\/\/[^\s\p{Cc}@\\?#]{1,2000}$/u);
  if (!URL.canParse(server)) throw new RecordError(file, wording(RECORD_TEXTS.field, 'server'));
  const target = optional('target', TARGET_NAME);
  const rendering = optional('rendering', /^(?:both|local)$/) as 'both' | 'local' | null;
  return {
    server,
    ...(target !== null && { target }),
    guid: field('guid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i),
    name: field('name', /^[A-Za-z0-9_-]{3,64}$/),
    app_mode: field('app_mode', /^[a-z][a-z0-9-]{1,63}$/),
    entrypoint: optional('entrypoint', /^(?![/\\])(?!.*(^|\/)\.\.(\/|$))[^\p{Cc}\\]{1,1024}$/su),
    ...(rendering !== null && { rendering }),
    bundle_id: optional('bundle_id', /^[0-9]{1,15}$/),
    deployed_time: field('deployed_time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/),
  };
}

/** `<name>.toml`; with the host if another server or item has that file. */
async function freeFile(dir: string, record: DeploymentRecord): Promise<string> {
  const records = await readRecords(dir);
  const host = new URL(record.server).host.replace(/[^A-Za-z0-9.-]/g, '_');
  const names = [record.name, `${record.name}@${host}`, `${record.name}@${host}-${record.guid.slice(0, 8)}`];
  for (const name of names) {
    const file = path.join(dir, FOLDER, `${name}.toml`);
    const holder = records.find((other) => other.file === file);
    if (holder === undefined || (holder.server === record.server && holder.guid === record.guid)) return file;
  }
  return path.join(dir, FOLDER, `${record.name}@${host}-${record.guid}.toml`);
}

/** Whether both folders are real ones: a link would let a repository redirect writes. */
async function isOwnFolder(dir: string): Promise<boolean> {
  for (const part of ['.pressroom', FOLDER]) {
    const folder = path.join(dir, part);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats === undefined) return false;
    if (!stats.isDirectory()) throw new RecordError(folder, RECORD_TEXTS.notDirectory);
  }
  return true;
}

async function readSmall(file: string): Promise<string> {
  // O_NOFOLLOW and O_NONBLOCK: a record must not be a link or a pipe.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  let handle;
  try {
    handle = await open(file, flags);
  } catch (error) {
    throw new RecordError(file, RECORD_TEXTS.unreadable, error);
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) throw new RecordError(file, RECORD_TEXTS.tooLarge);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
