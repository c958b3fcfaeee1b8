// Covers streams that fail before anyone reads them: the reader gets the error, and the process survives.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createObjects, type Objects } from './objects.ts';

const store = createServer((request, response) => {
  request.resume();
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
beforeAll(async () => {
  await once(store.listen(0, '127.0.0.1'), 'listening');
  objects = createObjects({
    bucket: 'b',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    pathStyle: true,
    prefix: '',
    keyId: 'k',
    secret: 's',
    ca: '',
    // Never reached: no request here is cut off for inactivity.
    timeout: 600_000,
    largest: 1,
  });
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
