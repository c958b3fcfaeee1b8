// Covers streams that fail before anyone reads them: the reader gets the error, and the process survives. And unfinished
// uploads, of which a store lists one page at a time.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createObjects, type Objects } from './objects.ts';

const UPLOADS = ['a', 'b', 'refused', 'z'];
/** A page with one of them. */
function pageOfUploads(after: string | null): string {
  const at = UPLOADS.findIndex((key) => key > (after ?? ''));
  const [key, isTruncated] = [UPLOADS[at], at < UPLOADS.length - 1];
  const upload = `<Upload><Key>${key}</Key><UploadId>1</UploadId><Initiated>2020-01-01T00:00:00Z</Initiated></Upload>`;
  const next = `<NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>`;
  return `<ListMultipartUploadsResult>${upload}<IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? next : ''}</ListMultipartUploadsResult>`;
}

/** More bytes than all buffers on the way hold. */
const LARGE = 20_000_000;

const store = createServer((request, response) => {
  request.resume();
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
  if (searchParams.has('uploads')) return void response.end(pageOfUploads(searchParams.get('key-marker')));
  if (pathname === '/b/refused') return void response.writeHead(403).end();
  if (pathname === '/b/large') {
    response.writeHead(200, { 'Content-Length': LARGE });
    return void response.end(Buffer.alloc(LARGE));
  }
  if (request.url?.startsWith('/b/slow')) {
    response.writeHead(200, { 'Content-Length': 1000 });
    return void response.write('half');
  }
  if (request.method !== 'GET') return void request.on('end', () => response.end());
  response.writeHead(200, { 'Content-Length': 1000 });
  response.write('half');
  setImmediate(() => response.destroy());
});
let objects: Objects;
/** @param timeout by default never reached: no request here is cut off for inactivity. */
const open = (timeout = 600_000) =>
  createObjects({
    bucket: 'b',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    pathStyle: true,
    prefix: '',
    keyId: 'k',
    secret: 's',
    ca: '',
    timeout,
    largest: 1,
  });
beforeAll(async () => {
  await once(store.listen(0, '127.0.0.1'), 'listening');
  objects = open();
});
afterAll(() => {
  objects[Symbol.dispose]();
  store.close();
  store.closeAllConnections();
});

it('reading an object fails with 503 when its connection broke before', async () => {
  const { stream } = await objects.open('archive');
  await new Promise((resolve) => stream.on('close', resolve));
  await expect(text(stream)).rejects.toMatchObject({ status: 503 });
});

it('slow downloads do not block other requests', async () => {
  const slow = await Promise.all(Array.from({ length: 60 }, (_, i) => objects.open(`slow${i}`)));
  expect(await objects.facts('archive')).toMatchObject({ size: 0 });
  for (const { stream } of slow) stream.on('error', () => undefined).destroy();
});

it('unfinished uploads on all pages are aborted; one that the store keeps is reported, and not counted', async () => {
  const failures: string[] = [];
  const aborted = await objects.abortUploads(Date.now(), (_error, key) => failures.push(key));
  expect({ aborted, failures }).toEqual({ aborted: ['a', 'b', 'z'], failures: ['refused'] });
});

it('a reader may take longer than the store, which fails with 503 when it is silent', async () => {
  using impatient = open(2000);
  const { stream } = await impatient.open('large');
  const read = stream.iterator();
  let size = ((await read.next()).value as Buffer).length;
  const silent = await impatient.open('slow');
  await expect(text(silent.stream)).rejects.toMatchObject({ status: 503 });
  for await (const chunk of read) size += (chunk as Buffer).length;
  expect(size).toBe(LARGE);
});
