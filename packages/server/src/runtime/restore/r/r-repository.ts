// Downloads source packages from a CRAN-like repository: an index of current versions, and an archive of older ones.
import { createWriteStream } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError, errors } from '@pressroom/api/contract';
import { createDiskRoom } from '../../../bundles/archive/disk-room.ts';
import type { Fetch } from '../guarded-fetch.ts';
import { compareVersions, isVersion } from '../versions.ts';

const unzip = promisify(gunzip);

export interface RRepository {
  /** For display: without a password. */
  readonly address: string;
  /** The current version of a package; null if there is none. */
  current(name: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Downloads the source of exactly this version, from the archive if it is not current; false if it does not exist.
   */
  download(name: string, version: string, file: string, signal: AbortSignal): Promise<boolean>;
}

interface RepositoryRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly reserve: number;
}

const MAX_INDEX_BYTES = 256 * 2 ** 20;
/** About ten times CRAN's. */
const MAX_PACKAGES = 250_000;
/** Maximum bytes of a line with a package or version; longer ones are skipped. */
const MAX_LINE_LENGTH = 1000;
const LINE_END = 10;
/** Lines between checks of the clock, and milliseconds until the event loop gets a turn. */
const LINES_AT_ONCE = 1000;
const BREATH_MS = 10;
const MAX_PACKAGE_BYTES = 2 * 2 ** 30;
/** Milliseconds that an index is cached. */
const INDEX_MS = 60_000;

/** Combines several, in lookup order. */
export function joinRepositories(all: readonly RRepository[]): RRepository | null {
  const [first, ...others] = all;
  if (first === undefined || others.length === 0) return first ?? null;
  return {
    address: all.map(({ address }) => address).join(', '),
    async current(name, signal) {
      for (const one of all) {
        const version = await one.current(name, signal);
        if (version !== null) return version;
      }
      return null;
    },
    async download(name, version, file, signal) {
      for (const one of all) if (await one.download(name, version, file, signal)) return true;
      return false;
    },
  };
}

export interface RRepositoryOptions {
  /** Header of requests; null for none. */
  readonly authorization?: string | null;
  /** For web addresses. */
  readonly fetch?: Fetch;
  /** Bytes of disk space that stay free. */
  readonly reserve?: number;
}

/** @param address from the setting: `https://…`, `file://…` or a directory. */
export function createRRepository(
  address: string,
  { authorization = null, fetch = globalThis.fetch, reserve = 0 }: RRepositoryOptions = {},
): RRepository {
  const base = new URL(
    `${(/^\w+:\/\//.test(address) ? address : pathToFileURL(address).href).replace(/\/+$/, '')}/src/contrib/`,
  );
  const shown = address.replace(/\/\/[^/@]*@/, '//');
  const headers: Record<string, string> = authorization === null ? {} : { Authorization: authorization };
  if (base.username !== '') {
    // fetch refuses addresses with credentials.
    const pair = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
    headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    base.username = '';
    base.password = '';
  }
  const request = { headers, fetch, reserve };
  let index: { at: number; versions: Map<string, string> } | null = null;

  async function readIndex(signal: AbortSignal): Promise<Map<string, string>> {
    if (index && performance.now() - index.at < INDEX_MS) return index.versions;
    const packed = await fetchBytes(new URL('PACKAGES.gz', base), request, signal);
    const bytes = packed
      ? await unzip(packed, { maxOutputLength: MAX_INDEX_BYTES })
      : await fetchBytes(new URL('PACKAGES', base), request, signal);
    if (!bytes) throw new Error('it has no index (PACKAGES.gz)');
    index = { at: performance.now(), versions: await parseIndex(bytes, signal) };
    return index.versions;
  }

  /** Adds the address to errors. */
  async function asking<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ApiError) throw cause;
      throw errors.internal({ message: `the R repository ${shown} cannot be used: ${reason(cause)}`, cause });
    }
  }

  return {
    address: shown,
    current: (name, signal) => asking(signal, async () => (await readIndex(signal)).get(name) ?? null),
    download: (name, version, file, signal) =>
      asking(signal, async () => {
        const current = (await readIndex(signal)).get(name);
        const isCurrent = current !== undefined && compareVersions(current, version) === 0;
        const paths = [`Archive/${name}/${name}_${version}.tar.gz`];
        if (isCurrent) paths.unshift(`${name}_${current}.tar.gz`);
        for (const path of paths) if (await save(new URL(path, base), file, request, signal)) return true;
        return false;
      }),
  };
}

/** The highest version of each package: an index may list several. It is untrusted; yields to the event loop. */
async function parseIndex(index: Buffer, signal: AbortSignal): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  let [name, version, since] = ['', '', performance.now()];
  const take = () => {
    const known = versions.get(name);
    if (name !== '' && isVersion(version) && (!known || compareVersions(version, known) > 0))
      versions.set(name, version);
    if (versions.size > MAX_PACKAGES) throw new Error(`its index has more than ${MAX_PACKAGES} packages`);
    [name, version] = ['', ''];
  };
  for (let [at, lines] = [0, 0]; at < index.length; lines += 1) {
    const found = index.indexOf(LINE_END, at);
    const end = found === -1 ? index.length : found;
    const line = end - at > MAX_LINE_LENGTH ? 'x' : index.toString('utf8', at, end);
    const [, field, value = ''] = /^\uFEFF?(Package|Version)\s*:(.*)$/.exec(line) ?? [];
    if (line.trim() === '') take();
    else if (field === 'Package') name = value.trim();
    else if (field === 'Version') version = value.trim();
    at = end + 1;
    if (lines % LINES_AT_ONCE !== 0 || performance.now() - since < BREATH_MS) continue;
    await setImmediate();
    signal.throwIfAborted();
    since = performance.now();
  }
  take();
  return versions;
}

async function fetchBytes(url: URL, request: RepositoryRequest, signal: AbortSignal): Promise<Buffer | null> {
  if (url.protocol === 'file:') return readFile(fileURLToPath(url)).catch(missingIsNull);
  const body = await get(url, request, signal);
  return body && Buffer.concat(await Array.fromAsync(limited(body, MAX_INDEX_BYTES)));
}

async function save(
  url: URL,
  file: string,
  request: RepositoryRequest,
  signal: AbortSignal,
): Promise<boolean> {
  if (url.protocol === 'file:') {
    return copyFile(fileURLToPath(url), file).then(
      () => true,
      (error) => missingIsNull(error) ?? false,
    );
  }
  const body = await get(url, request, signal);
  if (!body) return false;
  const room = createDiskRoom(dirname(file), request.reserve);
  const inRoom = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      await room.take(chunk.length);
      yield chunk;
    }
  };
  await pipeline(limited(body, MAX_PACKAGE_BYTES), inRoom, createWriteStream(file), { signal });
  return true;
}

/** Null if the server says that it does not exist. */
async function get(
  url: URL,
  { headers, fetch }: RepositoryRequest,
  signal: AbortSignal,
): Promise<Readable | null> {
  const response = await fetch(url, { headers, signal });
  if (response.ok && response.body) return Readable.fromWeb(response.body);
  await response.body?.cancel();
  if (response.status === 404 || response.status === 410) return null;
  throw new Error(`it returns ${response.status}`);
}

function limited(body: Readable, most: number): Readable {
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > most ? new Error(`a response has more than ${most} bytes`) : null, chunk);
    },
  });
  body.on('error', (error) => count.destroy(error));
  return body.pipe(count);
}

function missingIsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function reason(cause: unknown): string {
  const error = cause as Error & { cause?: Error };
  return error.cause?.message ?? error.message;
}
