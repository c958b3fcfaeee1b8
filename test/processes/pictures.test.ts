// Pictures of content: taken by Chromium after a deploy, without any network but the content's own.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  firstAdministrator,
  publish,
  startServerProcess,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ engine: 'sqlite', settings: { 'Applications.Pictures': true } });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const picture = (guid: string, by = owner) => by.call('GET', `/v1/content/${guid}/thumbnail`);
async function taken(guid: string, by = owner): Promise<void> {
  await expect
    .poll(async () => (await picture(guid, by)).status, { timeout: 60_000, interval: 100 })
    .toBe(200);
}
/** Width and height, as a PNG says them. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

test('a page is photographed with its files, and reaches nothing else on the machine', async () => {
  const asked: string[] = [];
  const outside = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  const { port } = outside.address() as AddressInfo;
  const page = `<!doctype html><link rel="stylesheet" href="style.css"><h1>Photographed</h1>
<img src="http://127.0.0.1:${port}/leak"><img src="/__api__/v1/user"><script>fetch('http://127.0.0.1:${port}/fetched')</script>`;
  const files = { 'index.html': page, 'style.css': 'body { background: rgb(200, 30, 30) }' };
  const { guid } = await publish(owner, files, { fields: { access_type: 'acl' } });
  await taken(guid);
  const { bytes, headers } = await picture(guid);
  expect([headers.get('content-type'), ...sizeOf(bytes)]).toEqual(['image/png', 640, 400]);
  expect(asked).toEqual([]);
  // Nobody visited.
  await server.restart();
  const visits = await owner.call('GET', `/v1/instrumentation/content/visits?content_guid=${guid}`);
  expect(visits.body.results).toEqual([]);
  outside.close();
});

test('a picture that people chose stays; one that was taken is taken again, and goes with its content', async () => {
  const { guid } = await publish(owner, { 'index.html': '<h1>One' });
  await taken(guid);
  const first = (await picture(guid)).bytes;
  await publish(owner, { 'index.html': '<h1 style="background:red">Two' }, { guid });
  await expect
    .poll(async () => (await picture(guid)).bytes.equals(first), { timeout: 60_000, interval: 100 })
    .toBe(false);
  await owner.call('PUT', `/v1/content/${guid}/thumbnail`, { raw: first });
  await publish(owner, { 'index.html': '<h1>Three' }, { guid });
  // Pictures are taken in turn: once that of another page is there, this one has been left alone.
  const other = await publish(owner, { 'index.html': '<h1>Other' });
  await taken(other.guid);
  expect((await picture(guid)).bytes.equals(first)).toBe(true);
  const { storage } = server.running.services;
  await owner.call('DELETE', `/v1/content/${other.guid}`);
  const rows = await storage.db.selectFrom('thumbnail').select('content_guid').execute();
  expect(rows.map((row) => row.content_guid)).not.toContain(other.guid);
});

test('a server behind its supervisor takes them, too', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-pictures-'));
  try {
    await using separate = await startServerProcess(dataDir, { PRESSROOM_APPLICATIONS_PICTURES: 'true' });
    const administrator = await firstAdministrator(() => separate.url);
    const { guid } = await publish(administrator, { 'index.html': '<h1>Separate' });
    await taken(guid, administrator);
    expect(sizeOf((await picture(guid, administrator)).bytes)).toEqual([640, 400]);
    expect(await separate.stop('SIGTERM')).toBe(0);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
