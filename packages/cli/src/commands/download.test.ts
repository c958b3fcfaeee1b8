// Covers what a server may answer: a name that leads elsewhere, and a connection that ends early.
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';

const GUID = 'b5fbd52c-483b-4c59-8f76-0760d266e496';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pressroom-cli-download-'));
});
afterEach(() => rm(home, { recursive: true }));

/** Downloads content of that name from a server that answers the download so. */
async function download(name: string, respond: (response: ServerResponse) => void) {
  await using server = createServer((request, response) => {
    if (request.url?.endsWith('/download') === true) return respond(response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ guid: GUID, name, bundle_id: '../7' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { CONNECT_SERVER: url, CONNECT_API_KEY: 'key', HOME: home };
  return await runHere(['download', GUID], { env, cwd: home });
}

test('the name of a server leads nowhere else', async () => {
  const outcome = await download('../../evil', (response) => {
    response.writeHead(200, { 'content-type': 'application/gzip' }).end('archive');
  });
  expect(outcome.code).toBe(0);
  expect(await readdir(home)).toEqual(['______evil-___7.tar.gz']);
});

test('a download that breaks off leaves no file, and says so', async () => {
  const outcome = await download('sales', (response) => {
    response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': '2048' });
    response.write(Buffer.alloc(1024), () => response.destroy());
  });
  expect(outcome).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('The connection ended before the download was complete.'),
  });
  expect(await readdir(home)).toEqual([]);
});
