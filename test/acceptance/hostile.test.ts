// Covers the hostile corpus over HTTP: each upload is refused with its code, and nothing is kept.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { corpus, CORPUS_LIMITS } from '../hostile/corpus.ts';

// fetch rejects a wrong Content-Length, and sends an empty stream with Content-Length 0.
const overHttp = corpus.filter(
  (upload) =>
    !upload.inProcessOnly &&
    upload.headers?.['content-length'] === undefined &&
    upload.name !== 'transfer: chunked and empty',
);
let server: TestServer;
let owner: Person;
let guid: string;
beforeAll(async () => {
  server = await startTestServer({
    settings: {
      'Applications.MaxBundleSize': CORPUS_LIMITS.maxBundleBytes,
      'Applications.MaxUnpackedSize': CORPUS_LIMITS.maxUnpackedBytes,
      'Applications.MaxBundleEntries': CORPUS_LIMITS.maxEntries,
    },
  });
  owner = await server.person('publisher');
  guid = (await owner.call('POST', '/v1/content', { body: { name: 'hostile' } })).body.guid;
});
afterAll(() => server[Symbol.asyncDispose]());

test('the corpus has more than 100 uploads', () => {
  expect(overHttp.length).toBeGreaterThan(100);
});

test.each(overHttp.map((upload) => [upload.name, upload] as const))('rejects %s', async (_name, upload) => {
  const path = `/v1/experimental/content/${guid}/upload`;
  const raw = new Blob([new Uint8Array(await upload.bytes())]).stream();
  const response = await owner.call('POST', path, { raw, headers: upload.headers ?? {} });
  expect(response).toMatchObject({ status: 400, body: { code: upload.code } });
});

test('the rejected uploads leave no files', async () => {
  expect((await owner.call('GET', `/v1/content/${guid}/bundles`)).body).toEqual([]);
  expect(await readdir(join(server.dataDir, 'bundles'))).toEqual([]);
  expect((await readdir(server.dataDir)).sort()).toEqual(
    expect.arrayContaining(['bundles', 'content', 'secret.key']),
  );
});
