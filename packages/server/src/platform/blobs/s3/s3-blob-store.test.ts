// Covers the sweep of logs in a store: what no job has is removed, once no server can be writing about it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openS3BlobStore } from './s3-blob-store.ts';

const OBJECTS = [
  ['logs/c/listed.log', '2020-01-01T00:00:00Z'],
  ['logs/c/forgotten.log', '2020-01-01T00:00:00Z'],
  ['logs/c/new.log', new Date().toISOString()],
  ['logs/deleted/one.log.1', '2020-01-01T00:00:00Z'],
] as const;

it('removes logs without a job, and of deleted content, unless they are new', async () => {
  const removed: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
    if (request.method === 'DELETE') removed.push(pathname.slice('/b/'.length));
    const listed = OBJECTS.filter(([key]) => key.startsWith(searchParams.get('prefix') ?? '-'));
    const contents = listed.map(
      ([key, time]) => `<Contents><Key>${key}</Key><LastModified>${time}</LastModified></Contents>`,
    );
    request.on('end', () => response.end(`<ListBucketResult>${contents.join('')}</ListBucketResult>`));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const options = {
    bucket: 'b',
    region: 'us-east-1',
    pathStyle: true,
    prefix: '',
    keyId: 'k',
    secret: 's',
    ca: '',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    timeout: 60_000,
    largest: 1,
  };
  try {
    using store = await openS3BlobStore(options, pino({ level: 'silent' }));
    removed.length = 0;
    const swept = await store.logs?.sweep(new Map([['c', new Set(['listed.log', 'listed.log.1'])]]));
    expect(swept).toEqual(['logs/c/forgotten.log', 'logs/deleted/one.log.1']);
    expect(removed).toEqual(swept);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
