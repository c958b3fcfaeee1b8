// Covers Git LFS files: what replaces a pointer, and what is refused.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fetchLargeFiles, httpServer } from './large-files.ts';

const DATA = randomBytes(300_000);
const OID = createHash('sha256').update(DATA).digest('hex');
const POINTER = pointerTo(OID, DATA.length);

let respond: RequestListener;
const server = createServer((request, response) => respond(request, response));
let base: string;
let asked: string[];
let directory: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'large-files-'));
  mkdirSync(join(directory, 'files'));
  asked = [];
  return () => rmSync(directory, { recursive: true });
});

function pointerTo(oid: string, size: number): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
}

/** Answers the batch API with `action` for its one object, and any other request with `content`. */
function serve(action: object | null, content: Buffer | RequestListener = DATA): void {
  respond = async (request, response) => {
    asked.push(request.url ?? '');
    const isBatch = request.url === '/reports.git/info/lfs/objects/batch';
    if (!isBatch && typeof content === 'function') return content(request, response);
    if (!isBatch) return void response.end(content);
    expect(JSON.parse(await text(request))).toMatchObject({ operation: 'download', transfers: ['basic'] });
    const known = { actions: { download: { href: `${base}/large` } } };
    response.end(JSON.stringify({ objects: [{ oid: OID, size: DATA.length, ...(action ?? known) }] }));
  };
}

function run(files: Record<string, string> = { 'data.bin': POINTER }, limit = 2 ** 20, signal?: AbortSignal) {
  const root = join(directory, 'files');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  return fetchLargeFiles({
    root,
    files: Object.entries(files).map(([path, { length: size }]) => ({ path, size, mode: 0o644 })),
    branch: 'main',
    server: async () => httpServer(`${base}/reports`, null),
    privateHosts: ['127.0.0.1'],
    limits: { fetched: limit, unpacked: 2 ** 30, entries: 100, timeout: 60 },
    signal: signal ?? new AbortController().signal,
    print: () => undefined,
  });
}
const at = (name: string) => readFileSync(join(directory, 'files', name));

test('replaces all pointers of a large file and fetches it once', async () => {
  serve(null);
  expect(await run({ 'data.bin': POINTER, 'same.bin': POINTER, 'page.html': '<p>small' })).toBe(true);
  expect([DATA.equals(at('data.bin')), DATA.equals(at('same.bin')), at('page.html').length]).toEqual([
    true,
    true,
    8,
  ]);
  expect(asked).toEqual(['/reports.git/info/lfs/objects/batch', '/large']);
  expect(readdirSync(directory)).toEqual(['files']);
});

test('sends no request without pointers', async () => {
  expect(await run({ 'page.html': '<p>only small files are here' })).toBe(false);
  expect(asked).toEqual([]);
});

const download = (href: string) => ({ actions: { download: { href } } });
const status =
  (code: number, location?: string): RequestListener =>
  (_, response) =>
    void response.writeHead(code, location === undefined ? {} : { location }).end();
const broken: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': DATA.length });
  response.write(DATA.subarray(0, 1000), () => response.destroy());
};

test.each<[string, object | null, Buffer | RequestListener, RegExp]>([
  [
    'at a private address',
    download('http://localhost:1/'),
    DATA,
    /^localhost has a private.*Git\.PrivateHosts/,
  ],
  [
    'at the metadata address of a cloud',
    download('http://169.254.169.254/'),
    DATA,
    /^169\.254\.169\.254 has a private/,
  ],
  ['at an address in hexadecimal', download('http://0x7f000002/'), DATA, /^127\.0\.0\.2 has a private/],
  ['with a file: URL', download('file:///etc/passwd'), DATA, /not https/],
  ['with a password in its URL', download('http://a:b@127.0.0.1/'), DATA, /not https/],
  ['that the server does not have', { error: { code: 404 } }, DATA, /does not have data\.bin/],
  [
    'that is longer than its pointer says',
    null,
    Buffer.concat([DATA, DATA]),
    /more of data\.bin than its pointer says/,
  ],
  [
    'that is shorter than its pointer says',
    null,
    DATA.subarray(1),
    /another file than the pointer data\.bin says/,
  ],
  ['with another checksum', null, randomBytes(DATA.length), /another file than the pointer data\.bin says/],
  ['whose transfer breaks off', null, broken, /broke off while it sent data\.bin/],
  [
    'that redirects to a private address',
    null,
    status(302, 'http://localhost:1/'),
    /^localhost has a private/,
  ],
  ['whose download returns 403', null, status(403), /^authentication: /],
  ['whose download returns 500', null, status(500), /answers with status 500/],
])('rejects a large file %s and keeps its pointer', async (_, action, content, error) => {
  serve(action, content);
  await expect(run()).rejects.toThrow(error);
  expect(at('data.bin').toString()).toBe(POINTER);
  expect(readdirSync(directory)).toEqual(['files']);
});

test.each<[string, RequestListener, RegExp]>([
  ['redirects', status(307, 'http://127.0.0.1:1/'), /redirects: that is not followed/],
  ['does not exist', status(404), /has no large files/],
  ['returns no JSON', (_, response) => void response.end('hello'), /does not respond as a Git LFS server/],
  ['returns too much', (_, response) => void response.end('x'.repeat(2 ** 21)), /answers too much/],
  [
    'uses another transfer',
    (_, response) => void response.end('{"transfer":"custom","objects":[]}'),
    /a transfer other than the basic one/,
  ],
])('rejects a batch API that %s', async (_, listener, error) => {
  respond = listener;
  await expect(run()).rejects.toThrow(error);
});

test.each([
  ['above the size limit of a repository', POINTER, 1000, /^too large: .*Git\.MaxRepositorySize/],
  ['of 2 GiB', pointerTo(OID, 2 ** 31), 2 ** 40, /^too large: its files have more than/],
  [
    'with an extension',
    POINTER.replace('oid', 'ext-0-evil sha256:00\noid'),
    2 ** 20,
    /unsupported Git LFS pointer/,
  ],
])('rejects a pointer %s before any request', async (_, pointer, limit, error) => {
  await expect(run({ 'data.bin': pointer }, limit)).rejects.toThrow(error);
  expect(asked).toEqual([]);
});

test('cancelling the deploy aborts the fetch', async () => {
  const cancelled = new AbortController();
  serve(null, (_, response) => {
    response.write(DATA.subarray(0, 1000));
    cancelled.abort(new Error('cancelled'));
  });
  await expect(run(undefined, undefined, cancelled.signal)).rejects.toThrow('cancelled');
});
