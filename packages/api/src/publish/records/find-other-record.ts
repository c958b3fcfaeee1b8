// What other clients recorded about publishing a directory: rsconnect for R, rsconnect-python and Posit Publisher.
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { normalizeServerUrl } from '../../client/base-url.ts';
import { isObject } from '../../contract/is-object.ts';
import { readSmall } from '../manifest/read-small.ts';

/** Content that another client published from the directory. */
export interface OtherRecord {
  /** The client that wrote the record. */
  client: string;
  /** The content item. */
  guid: string;
}

interface Entry {
  server: unknown;
  guid: unknown;
}

/** Reads the entries of a file. Throws if it is damaged. */
type Reader = (text: string) => Entry[];

interface Client {
  name: string;
  folder: string;
  /** Levels of folders that hold records. */
  depth: number;
  read: Reader;
}

const CLIENTS: readonly Client[] = [
  { name: 'rsconnect-python', folder: 'rsconnect-python', depth: 1, read: readJson },
  // documents/index.Rmd/SERVER/ACCOUNT/NAME.dcf, or SERVER/ACCOUNT/NAME.dcf.
  { name: 'rsconnect', folder: 'rsconnect', depth: 5, read: readDcf },
  {
    name: 'Posit Publisher',
    folder: path.join('.posit', 'publish', 'deployments'),
    depth: 1,
    read: readToml,
  },
];
const MAX_ENTRIES = 200;
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The newest record of another client for a server; undefined if there is none that can be read. */
export async function findOtherRecord(dir: string, server: string): Promise<OtherRecord | undefined> {
  let newest: (OtherRecord & { time: number }) | undefined;
  for (const { name, folder, depth, read } of CLIENTS) {
    let left = MAX_ENTRIES;
    for await (const file of filesBelow(path.join(dir, folder), depth, () => (left -= 1) >= 0)) {
      const guid = (await readEntries(file, read)).find((entry) => isServer(entry.server, server))?.guid;
      if (typeof guid !== 'string' || !GUID.test(guid)) continue;
      const time = (await stat(file)).mtimeMs;
      if (newest === undefined || time > newest.time)
        newest = { client: name, guid: guid.toLowerCase(), time };
    }
  }
  return newest && { client: newest.client, guid: newest.guid };
}

/** Files that are no links, down to a number of levels; `more` ends a walk through very many. */
async function* filesBelow(folder: string, depth: number, more: () => boolean): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  for (const entry of entries) {
    if (!more()) return;
    const file = path.join(folder, entry.name);
    if (entry.isFile()) yield file;
    if (entry.isDirectory() && depth > 1) yield* filesBelow(file, depth - 1, more);
  }
}

/** None of a damaged file: it belongs to another program. */
async function readEntries(file: string, read: Reader): Promise<Entry[]> {
  try {
    return read(await readSmall(file));
  } catch {
    return [];
  }
}

function isServer(recorded: unknown, server: string): boolean {
  try {
    return typeof recorded === 'string' && normalizeServerUrl(recorded) === server;
  } catch {
    return false;
  }
}

function readJson(text: string): Entry[] {
  const servers: unknown = JSON.parse(text);
  if (!isObject(servers)) return [];
  return Object.values(servers)
    .filter(isObject)
    .map(({ server_url, app_guid, app_id }) => ({ server: server_url, guid: app_guid ?? app_id }));
}

function readDcf(text: string): Entry[] {
  const field = (name: string) => new RegExp(`^${name}: *(\\S+)$`, 'm').exec(text)?.[1];
  const inAddress = /\/content\/([0-9a-f-]{36})/i.exec(field('url') ?? '')?.[1];
  // Older versions have a number in appId.
  return [{ server: field('hostUrl'), guid: inAddress ?? field('appId') }];
}

function readToml(text: string): Entry[] {
  const { server_url, id } = parse(text);
  return [{ server: server_url, guid: id }];
}
