// Covers pictures of content: taken by Chromium after a deploy, with access to the content only.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  firstAdministrator,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startServerProcess,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createPictures,
  type Pictures,
  type PicturesOptions,
} from '../../packages/server/src/runtime/pictures/pictures.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;
beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(
    await startTestServer({ engine: 'sqlite', settings: { ...settings, 'Applications.Pictures': true } }),
  );
  owner = await server.person('publisher');
});
afterAll(() => stack.disposeAsync());

const picture = (guid: string, by = owner) => by.call('GET', `/v1/content/${guid}/thumbnail`);
async function taken(guid: string, by = owner): Promise<void> {
  await expect
    .poll(async () => (await picture(guid, by)).status, { timeout: 60_000, interval: 100 })
    .toBe(200);
}
/** Reads width and height from a PNG. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

test('the thumbnail shows a page with its files, without access to other addresses', async () => {
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
  // Taking a picture counts as no visit.
  await server.restart();
  const visits = await owner.call('GET', `/v1/instrumentation/content/visits?content_guid=${guid}`);
  expect(visits.body.results).toEqual([]);
  outside.close();
});

test('a chosen thumbnail stays; a taken one is renewed, and deleted with the content', async () => {
  const { guid } = await publish(owner, { 'index.html': '<h1>One' });
  await taken(guid);
  const first = (await picture(guid)).bytes;
  await publish(owner, { 'index.html': '<h1 style="background:red">Two' }, { guid });
  await expect
    .poll(async () => (await picture(guid)).bytes.equals(first), { timeout: 60_000, interval: 100 })
    .toBe(false);
  await owner.call('PUT', `/v1/content/${guid}/thumbnail`, { raw: first });
  await publish(owner, { 'index.html': '<h1>Three' }, { guid });
  // Pictures are taken in order: once that of another page exists, this one has been left unchanged.
  const other = await publish(owner, { 'index.html': '<h1>Other' });
  await taken(other.guid);
  expect((await picture(guid)).bytes.equals(first)).toBe(true);
  const { storage } = server.running.services;
  await owner.call('DELETE', `/v1/content/${other.guid}`);
  const rows = await storage.db.selectFrom('thumbnail').select('content_guid').execute();
  expect(rows.map((row) => row.content_guid)).not.toContain(other.guid);
});

describe('Turns', () => {
  let taken: string[];
  let begun: PromiseWithResolvers<void>;
  let proceed: PromiseWithResolvers<void>;
  let workDirectory: string;
  let pictures: Pictures;
  beforeEach(async () => {
    [taken, begun, proceed] = [[], Promise.withResolvers(), Promise.withResolvers()];
    const launcher = {
      isolation: { mounts: true },
      containers: null,
      give: async () => {},
      takeBack: async () => {},
      remove: (path: string) => rm(path, { recursive: true, force: true }),
      async run({ content }: { content: string }) {
        taken.push(content);
        begun.resolve();
        await proceed.promise;
        return { code: 1, message: 'ended' };
      },
    } as unknown as PicturesOptions['launcher'];
    workDirectory = await mkdtemp(join(tmpdir(), 'pressroom-turns-'));
    const { log } = server.running.services;
    const address = () => server.url;
    const options = {
      launcher,
      workDirectory,
      address,
      keyFor: async () => 'key',
      save: async () => {},
      log,
    };
    pictures = createPictures(options)!;
  });
  afterEach(async () => {
    await pictures[Symbol.asyncDispose]();
    await rm(workDirectory, { recursive: true });
  });

  test('a requested picture waits for one thumbnail at most', async () => {
    for (const guid of ['one', 'two', 'three']) pictures.request(guid);
    await begun.promise;
    const asked = pictures.take('asked', '', 'key');
    proceed.resolve();
    await expect(asked).rejects.toThrow('the browser ended');
    expect(taken).toEqual(['one', 'asked']);
  });

  test('many requests for pictures of one content item leave room for others', async () => {
    const many = Array.from({ length: 200 }, () => pictures.take('many', '', 'key'));
    const settled = Promise.allSettled(many);
    await begun.promise;
    const other = pictures.take('other', '', 'key');
    proceed.resolve();
    await expect(other).rejects.toThrow('the browser ended');
    expect(taken.slice(0, 2)).toEqual(['many', 'other']);
    const last = (await settled).at(-1);
    expect(last).toMatchObject({ reason: { message: 'too many pictures are waiting to be taken' } });
  });
});

test('a server behind its supervisor takes thumbnails, too', async () => {
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

describe('Pictures of two bundles', () => {
  const html = (color: string) => `<!doctype html><body style="background:${color};margin:0"><h1>Same words`;
  const pagesOf = (guid: string, id: string, since?: string, by = owner) =>
    by.call('GET', `/v1/content/${guid}/bundles/${id}/pages${since === undefined ? '' : `?since=${since}`}`);
  async function versions(...pages: string[]): Promise<{ guid: string; ids: string[] }> {
    const { guid } = await publish(owner, { 'index.html': pages[0]! });
    for (const page of pages.slice(1)) await publish(owner, { 'index.html': page }, { guid });
    const bundles = (await owner.call('GET', `/v1/content/${guid}/bundles`)).body as { id: string }[];
    return { guid, ids: bundles.map(({ id }) => id) };
  }

  test('returns one picture for each bundle and their pixel difference', async () => {
    const { guid, ids } = await versions(html('white'), html('white'), html('black'));
    const same = (await pagesOf(guid, ids[1]!, ids[0]!)).body;
    expect(same).toMatchObject({ changed: 0, width: 640, height: 400, before: { bundle_id: ids[0] } });
    const other = (await pagesOf(guid, ids[0]!)).body;
    expect(other).toMatchObject({ before: { bundle_id: ids[2] }, after: { bundle_id: ids[0] } });
    expect(other.changed).toBeGreaterThan(0.8);
    for (const image of [other.before.image, other.after.image, other.difference])
      expect(sizeOf(Buffer.from(image, 'base64'))).toEqual([640, 400]);
    expect(other.before.image).not.toBe(other.after.image);
  });

  test('requires access to drafts, and bundles with a page', async () => {
    const { guid, ids } = await versions(html('white'), html('red'));
    const viewer = await server.person('viewer');
    expect(await pagesOf(guid, ids[0]!, undefined, viewer)).toMatchObject({
      status: 403,
      body: { code: 19 },
    });
    expect(await pagesOf(guid, '999999')).toMatchObject({ status: 404, body: { code: 4 } });
    expect(await pagesOf(guid, ids[0]!, 'x')).toMatchObject({ status: 404, body: { code: 4 } });
    const other = await versions(html('white'));
    expect(await pagesOf(guid, other.ids[0]!)).toMatchObject({ status: 404, body: { code: 4 } });
    const metadata = QUICK_DOCUMENT;
    const document = await publish(owner, quickDocument('print("Text")'), { metadata });
    const rendered = (await owner.call('GET', `/v1/content/${document.guid}/bundles`)).body[0].id;
    expect((await pagesOf(document.guid, rendered)).body.changed).toBe(0);
    await publish(owner, quickDocument('print("Other")'), { guid: document.guid, metadata });
    const gone = await pagesOf(document.guid, rendered);
    expect(gone).toMatchObject({ status: 400, body: { code: 39 } });
    expect(gone.body.error).toContain('its rendering is not kept');
    await server.restart({ 'Applications.Pictures': false });
    const refused = await pagesOf(guid, ids[0]!);
    expect(refused).toMatchObject({ status: 400, body: { code: 39 } });
    expect(refused.body.error).toContain('Applications.Pictures');
    await server.restart({ 'Applications.Pictures': true });
  });
});
