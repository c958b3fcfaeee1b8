// Large files of a repository (Git LFS): replaces the pointers in a commit by the files. Pointers and responses of the
// LFS server are untrusted: addresses are checked, and sizes and SHA-256 must match the pointers.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError, errors } from '@pressroom/api/contract';
import type { BundleFile } from '@pressroom/api/publish';
import pLimit from 'p-limit';
import { isSecure } from '../main/config/addresses.ts';
import { timerMs } from '../platform/clock.ts';
import { isObject } from '../platform/is-object.ts';
import { readLimited } from '../platform/read-limited.ts';
import { createGuardedFetch, PrivateAddressError, type Fetch } from '../runtime/restore/guarded-fetch.ts';
import type { FetchLimits, Place } from './fetch-commit.ts';
import { runGit, type Remote } from './run-git.ts';

/** Address and headers of a repository's batch API. */
export interface LargeFileServer {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LargeFileRequest {
  /** Directory of the files; downloads are written next to it first. */
  readonly root: string;
  readonly files: readonly BundleFile[];
  readonly branch: string;
  readonly server: () => Promise<LargeFileServer>;
  readonly privateHosts: readonly string[];
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

interface Pointer {
  readonly oid: string;
  readonly size: number;
}
type Wanted = Pointer & { readonly paths: string[] };

const BEGINNING = Buffer.from('version https://git-lfs.github.com/spec/');
/** Maximum bytes of a pointer file. */
const POINTER_BYTES = 1024;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n?$/;
const MEDIA_TYPE = 'application/vnd.git-lfs+json';
/** Objects per batch request, and maximum bytes of its response. */
const BATCH = 100;
const MAX_RESPONSE_BYTES = 2 ** 20;
const AT_ONCE = 4;

/**
 * Replaces pointers by their large files.
 * @returns whether there were any
 * @throws ApiError 38 for an invalid pointer, 135 beyond a limit, 22 for a private address, 1 and 4 for errors of the
 * server
 */
export async function fetchLargeFiles(request: LargeFileRequest): Promise<boolean> {
  const wanted = await findPointers(request);
  if (wanted.length === 0) return false;
  const { limits, print } = request;
  const late = AbortSignal.timeout(timerMs(limits.timeout));
  const signal = AbortSignal.any([request.signal, late]);
  const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
  print(`Fetching ${wanted.length} large ${wanted.length === 1 ? 'file' : 'files'}, ${bytes} bytes`);
  try {
    const server = await request.server();
    const fetch = createGuardedFetch(request.privateHosts, 'Git.PrivateHosts');
    for (let at = 0; at < wanted.length; at += BATCH)
      await fetchBatch({ ...request, signal }, fetch, server, wanted.slice(at, at + BATCH));
    return true;
  } catch (cause) {
    request.signal.throwIfAborted();
    if (late.aborted)
      throw errors.internal({ message: `the large files took longer than ${limits.timeout} seconds`, cause });
    throw cause;
  }
}

/** Each object once, with the files that point to it. */
async function findPointers({ root, files, limits }: LargeFileRequest): Promise<Wanted[]> {
  const wanted = new Map<string, Wanted>();
  let unpacked = 0;
  for (const { path, size } of files) {
    const pointer = await readPointer(root, path, size);
    unpacked += pointer?.size ?? size;
    if (pointer === null) continue;
    const known = wanted.get(pointer.oid);
    if (known && known.size !== pointer.size)
      throw errors.invalidManifest({
        message: `${path} and ${known.paths[0]} are one large file of two sizes`,
      });
    if (known) known.paths.push(path);
    else wanted.set(pointer.oid, { ...pointer, paths: [path] });
  }
  const all = [...wanted.values()];
  if (all.reduce((sum, { size }) => sum + size, 0) > limits.fetched)
    throw tooLarge('its large files have more than Git.MaxRepositorySize allows');
  if (all.length > 0 && unpacked > limits.unpacked)
    throw tooLarge(`its files have more than ${limits.unpacked} bytes`);
  return all;
}

/** Null for any other file. */
async function readPointer(root: string, path: string, size: number): Promise<Pointer | null> {
  if (size < BEGINNING.length || size > POINTER_BYTES) return null;
  const content = await readFile(join(root, path));
  if (!content.subarray(0, BEGINNING.length).equals(BEGINNING)) return null;
  const [, oid, bytes] = POINTER.exec(content.toString('latin1')) ?? [];
  // A pointer left in place of a data file would break the content in confusing ways.
  if (oid === undefined)
    throw errors.invalidManifest({ message: `${path} is an unsupported Git LFS pointer` });
  return { oid, size: Number(bytes) };
}

async function fetchBatch(
  request: LargeFileRequest,
  fetch: Fetch,
  server: LargeFileServer,
  wanted: readonly Wanted[],
): Promise<void> {
  const hrefs = await askBatch(request, fetch, server, wanted);
  const downloads = wanted.map((one) => {
    const action = hrefs.get(one.oid);
    if (action === undefined)
      throw errors.notFound({ message: `Git LFS: ${server.url.host} does not have ${one.paths[0]}` });
    return { one, from: placeOf(server, action) };
  });
  const giveUp = new AbortController();
  const signal = AbortSignal.any([request.signal, giveUp.signal]);
  const limit = pLimit(AT_ONCE);
  const all = downloads.map(({ one, from }) =>
    limit(() => download({ ...request, signal }, fetch, from, one)).catch((error: unknown) => {
      giveUp.abort(error);
      throw error;
    }),
  );
  // No download may still write after this function has returned.
  await Promise.allSettled(all);
  await Promise.all(all);
}

async function askBatch(
  { branch, signal }: LargeFileRequest,
  fetch: Fetch,
  { url, headers }: LargeFileServer,
  wanted: readonly Wanted[],
): Promise<Map<string, Action>> {
  const body = {
    operation: 'download',
    transfers: ['basic'],
    ref: { name: `refs/heads/${branch}` },
    objects: wanted.map(({ oid, size }) => ({ oid, size })),
    hash_algo: 'sha256',
  };
  const target = new URL(`${url.href.replace(/\/$/, '')}/objects/batch`);
  const response = await ask(fetch, target, {
    method: 'POST',
    headers: { ...headers, Accept: MEDIA_TYPE, 'Content-Type': MEDIA_TYPE },
    body: JSON.stringify(body),
    follow: false,
    signal,
  });
  const text = await readLimited(response, MAX_RESPONSE_BYTES);
  if (text === null) throw failed(target, 'answers too much');
  const parsed = parse(text);
  if (!isObject(parsed) || !Array.isArray(parsed['objects']))
    throw failed(url, 'does not respond as a Git LFS server');
  if ((parsed['transfer'] ?? 'basic') !== 'basic')
    throw failed(url, 'requires a transfer other than the basic one');
  return new Map(
    parsed['objects'].filter(isObject).flatMap(({ oid, actions }) => {
      const action = isObject(actions) ? actionOf(actions['download']) : null;
      return typeof oid === 'string' && action !== null ? [[oid, action] as const] : [];
    }),
  );
}

interface Action {
  readonly href: string;
  readonly header: Readonly<Record<string, string>>;
}

function actionOf(value: unknown): Action | null {
  if (!isObject(value) || typeof value['href'] !== 'string') return null;
  return { href: value['href'], header: headersOf(value['header']) };
}

async function download(
  { root, signal }: LargeFileRequest,
  fetch: Fetch,
  { url, headers }: LargeFileServer,
  { oid, size, paths }: Wanted,
): Promise<void> {
  const response = await ask(fetch, url, { headers, signal });
  const [first = '', ...others] = paths;
  const beside = join(root, '..', oid);
  const hash = createHash('sha256');
  let bytes = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > size ? failed(url, `sends more of ${first} than its pointer says`) : null, chunk);
    },
  });
  try {
    const source = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
    await pipeline(source, checked, createWriteStream(beside, { flags: 'wx', mode: 0o600 }), { signal });
    if (bytes !== size || hash.digest('hex') !== oid)
      throw failed(url, `sends another file than the pointer ${first} says`);
    // Copied over the pointers to keep their modes.
    for (const path of [first, ...others]) await copyFile(beside, join(root, path));
  } catch (cause) {
    if (cause instanceof ApiError || signal.aborted) throw cause;
    throw failed(url, `broke off while it sent ${first}`, cause);
  } finally {
    await rm(beside, { force: true });
  }
}

/** Other hosts than the repository's get only the headers given for them in the response. */
function placeOf(server: LargeFileServer, { href, header }: Action): LargeFileServer {
  const url = safeUrl(href, server.url);
  const own = url.origin === server.url.origin ? server.headers : {};
  return { url, headers: { ...own, ...header } };
}

/**
 * Derived from the repository's own address; `.lfsconfig` is ignored, so that no commit decides where secrets are sent.
 */
export function httpServer(repository: string, authorization: string | null): LargeFileServer {
  const base = repository.replace(/\/$/, '');
  return {
    url: new URL(`${base.endsWith('.git') ? base : `${base}.git`}/info/lfs`),
    headers: authorization === null ? {} : { Authorization: authorization },
  };
}

const AUTHENTICATE = 'eval "$GIT_SSH_COMMAND -p \\"\\$1\\" -- \\"\\$2\\" \\"\\$3\\"" 2> /dev/null';

/** Over ssh, the Git host returns the address and headers of its LFS server. @throws ApiError 1 */
export async function askOverSsh(place: Place, remote: Remote): Promise<LargeFileServer> {
  const repository = new URL(remote.url);
  const { username, pathname } = repository;
  // Quoted for the remote shell, as git does.
  const path = `'${decodeURIComponent(pathname).replaceAll("'", `'\\''`)}'`;
  const { isDone, lines } = await runGit(place.launcher, {
    ...place,
    script: AUTHENTICATE,
    parameters: [
      remote.place.port,
      `${username}@${repository.hostname}`,
      `git-lfs-authenticate ${path} download`,
    ],
    remote,
    fileLimit: MAX_RESPONSE_BYTES,
    timeout: place.limits.timeout,
  });
  const text = lines.join('\n');
  const action = isDone ? actionOf(parse(text.slice(text.indexOf('{')))) : null;
  if (action === null) throw failed(repository, 'gives no large files over ssh');
  return { url: safeUrl(action.href, repository), headers: action.header };
}

/** Must be encrypted, unless the repository's address is not. @throws ApiError 1 */
function safeUrl(href: string, from: URL): URL {
  const url = URL.canParse(href) ? new URL(href) : null;
  const isPlain = url?.protocol === 'http:' && from.protocol === 'http:';
  if (url === null || url.username !== '' || url.password !== '' || !(isPlain || isSecure(url, 'http:')))
    throw failed(from, 'leads to an address that is not https://');
  return url;
}

/** Headers that this server sets itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/i;
const PRINTED = /^[\t\x20-\x7e]*$/;
function headersOf(given: unknown): Record<string, string> {
  const usable = Object.entries(isObject(given) ? given : {}).flatMap(([name, value]) =>
    /^[\w-]{1,100}$/.test(name) && !OWN_HEADERS.test(name) && typeof value === 'string' && PRINTED.test(value)
      ? [[/^authorization$/i.test(name) ? 'Authorization' : name, value] as const]
      : [],
  );
  return Object.fromEntries(usable);
}

async function ask(fetch: Fetch, url: URL, options: Parameters<Fetch>[1]): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, options);
  } catch (cause) {
    if (cause instanceof PrivateAddressError) throw errors.operationDenied({ message: cause.message, cause });
    options.signal?.throwIfAborted();
    throw failed(url, 'does not respond', cause);
  }
  const { status } = response;
  if (status === 200) return response;
  await response.body?.cancel();
  if (status === 401 || status === 403)
    throw errors.internal({ message: `authentication: ${url.host} refuses to give large files (Git LFS)` });
  if (status === 404)
    throw errors.notFound({ message: `Git LFS: ${url.host} has no large files for this repository` });
  if (status >= 300 && status < 400) throw failed(url, 'redirects: that is not followed');
  throw failed(url, `answers with status ${status}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Leaves out the remote server's text, which is untrusted. */
const failed = ({ host }: URL, what: string, cause?: unknown) =>
  errors.internal({ message: `Git LFS: ${host} ${what}`, cause });
const tooLarge = (why: string) => errors.bundleNotExtracted({ message: `too large: ${why}` });
