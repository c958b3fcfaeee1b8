// Covers uploads of bundles: what is accepted and refused, and that nothing is left of what was refused.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { makeArchive, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const page = makeArchive({ 'index.html': '<h1>hello</h1>', 'style.css': 'h1 { color: red }' });

let server: TestServer;
let owner: Person;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

async function create(): Promise<{ readonly guid: string }> {
  const body = { name: `content-${(count += 1)}` };
  const response = await owner.call('POST', '/v1/experimental/content', { body });
  expect(response.status).toBe(200);
  return response.body;
}

test.each([
  ['hex', (md5: Buffer) => md5.toString('hex')],
  ['upper-case hex', (md5: Buffer) => md5.toString('hex').toUpperCase()],
  ['base64', (md5: Buffer) => md5.toString('base64')],
])('accepts a checksum as %s, and returns it', async (_form, format) => {
  const { guid } = await create();
  const headers = { 'X-Content-Checksum': format(createHash('md5').update(page).digest()) };
  const response = await owner.call('POST', `/v1/experimental/content/${guid}/upload`, {
    raw: page,
    headers,
  });
  expect(response).toMatchObject({ status: 200, body: { size: page.length } });
  expect(response.headers.get('x-content-checksum')).toBe(createHash('md5').update(page).digest('hex'));
});

test.each([
  'application/gzip',
  'application/x-gzip',
  'application/json',
  'application/x-www-form-urlencoded',
  'gzip',
])('decides by the content of the upload, not by Content-Type %s', async (type) => {
  const { guid } = await create();
  const headers = { 'Content-Type': type };
  const response = await owner.call('POST', `/v1/experimental/content/${guid}/upload`, {
    raw: page,
    headers,
  });
  expect(response.status).toBe(200);
});

test('the GA form accepts a multipart form', async () => {
  const { guid } = await create();
  const form = new FormData();
  // Some clients send the metadata as a file.
  form.set('metadata', new Blob(['{}']), 'metadata.json');
  form.set('archive', new Blob([new Uint8Array(page)]), 'bundle.tar.gz');
  const url = `${server.url}/__api__/v1/content/${guid}/bundles`;
  const response = await fetch(url, {
    method: 'POST',
    body: form,
    headers: { Authorization: `Key ${owner.key}` },
  });
  expect(await response.json()).toMatchObject({ content_guid: guid, size: page.length, active: false });
});

async function uploadForm(...parts: [string, string | Blob][]) {
  const { guid } = await create();
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const url = `${server.url}/__api__/v1/content/${guid}/bundles`;
  const headers = { Authorization: `Key ${owner.key}` };
  const response = await fetch(url, { method: 'POST', body: form, headers });
  const { metadata } = (await response.json()) as { metadata: Record<string, string> };
  const { archive_md5: _md5, archive_sha1: _sha1, ...source } = metadata;
  return { status: response.status, source };
}
const archive: [string, Blob] = ['archive', new Blob([new Uint8Array(page)])];

test('a bundle has the commit that its client reports, before or after the archive', async () => {
  const reported = {
    source: 'git',
    source_repo: 'https://ada:secret@example.com/team/site.git?token=1',
    source_branch: 'größe',
    source_commit: '0123456789abcdef0123456789abcdef01234567-dirty',
    source_author: 'Ada',
  };
  const { source_author: _, ...kept } = reported;
  const metadata: [string, string] = ['metadata', JSON.stringify(reported)];
  for (const parts of [
    [archive, metadata],
    [metadata, archive],
  ])
    expect(await uploadForm(...parts)).toEqual({
      status: 200,
      source: { ...kept, source_repo: 'https://example.com/team/site.git' },
    });
});

test.each([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['no commit', '{"source":"git","source_branch":"main"}'],
  ['a commit that is none', '{"source_commit":"<b>main</b>"}'],
  ['a commit of another type', '{"source_commit":["0123456789"]}'],
  ['too much', JSON.stringify({ source_commit: '0123456789', more: 'x'.repeat(20_000) })],
])('metadata with %s is passed over', async (_what, metadata) => {
  expect(await uploadForm(archive, ['metadata', metadata])).toEqual({ status: 200, source: {} });
});

test.each([
  ['a path', '/home/ada/site'],
  ['a long address', `https://example.com/${'a'.repeat(2048)}`],
])(
  'of a reported commit, only a printable branch and a short web address are kept, not %s',
  async (_what, source_repo) => {
    const metadata = { source_commit: 'abcdef0', source_branch: 'a\u202Eb', source_repo };
    expect((await uploadForm(archive, ['metadata', JSON.stringify(metadata)])).source).toEqual({
      source: 'git',
      source_commit: 'abcdef0',
    });
  },
);

test.each([
  ['app.R', makeArchive({ 'App.R': '' }, { appmode: 'shiny' })],
  ['ui.R and server.R', makeArchive({ 'ui.R': '', 'server.R': '' }, { appmode: 'shiny' })],
  ['server.R and a page', makeArchive({ 'www/index.html': '', 'server.R': '' }, { appmode: 'shiny' })],
  ['index.Rmd', makeArchive({ 'index.Rmd': '' }, { appmode: 'rmd-static' })],
])('accepts a bundle of %s (4.3, upload rule 2)', async (_what, raw) => {
  const { guid } = await create();
  const response = await owner.call('POST', `/v1/experimental/content/${guid}/upload`, { raw });
  expect(response.status).toBe(200);
});

test.each([
  [
    'without an archive',
    '--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{}\r\n--b--\r\n',
    'b',
    12,
  ],
  [
    'that is truncated',
    '--b\r\nContent-Disposition: form-data; name="archive"; filename="a"\r\n\r\nx',
    'b',
    135,
  ],
  [
    'that is truncated in another file',
    '--b\r\nContent-Disposition: form-data; name="metadata"; filename="a"\r\n\r\nx',
    'b',
    135,
  ],
  ['that is not multipart', 'x', 'b', 135],
  ['without a boundary', 'x', '', 135],
  ['with an invalid boundary', 'x', '; x="boundary=a"', 135],
])('rejects a multipart form %s', async (_what, raw, boundary, code) => {
  const { guid } = await create();
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  const response = await owner.call('POST', `/v1/content/${guid}/bundles`, { raw, headers });
  expect(response).toMatchObject(refused(400, code));
});

test('survives a connection closed after a multipart upload was rejected', async () => {
  const { guid } = await create();
  const stranger = await server.person('publisher');
  const headers = {
    Authorization: `Key ${stranger.key}`,
    'Content-Type': 'multipart/form-data; boundary=b',
    'Content-Length': 1_000_000,
  };
  const upload = request(`${server.url}/__api__/v1/content/${guid}/bundles`, { method: 'POST', headers });
  upload.on('error', () => undefined);
  upload.write('--b\r\nContent-Disposition: form-data; name="archive"; filename="a"\r\n\r\nx');
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(403);
  upload.destroy();
  await once(upload, 'close');
  expect((await owner.call('GET', `/v1/content/${guid}`)).status).toBe(200);
});

const another = () => server.person('publisher');
test.each([
  ['an upload of another publisher', 'POST', '/bundles', another, 403, ''],
  ['a form of another publisher', 'POST', '/bundles', another, 403, 'multipart/form-data; boundary=b'],
  ['a picture that is too large', 'PUT', '/thumbnail', async () => owner, 400, ''],
])('refuses %s, and reads it to its end: senders would lose the response', async (...given) => {
  const [, method, path, sender, status, type] = given;
  const { guid } = await create();
  const headers = { Authorization: `Key ${(await sender()).key}`, 'Content-Type': type };
  const upload = request(`${server.url}/__api__/v1/content/${guid}${path}`, { method, headers });
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  upload.write('--b\r\nContent-Disposition: form-data; name="archive"; filename="a"\r\n\r\n');
  upload.end(Buffer.alloc(20_000_000));
  await once(upload, 'finish');
  const [response] = await answered;
  expect(response.statusCode).toBe(status);
  await once(response.resume(), 'end');
});

test.each([
  ['an empty body', Buffer.alloc(0), {}, 125],
  ['a wrong checksum', page, { 'X-Content-Checksum': '0'.repeat(32) }, 104],
  ['a body that is not an archive', Buffer.from('hello'), {}, 135],
  ['a truncated archive', page.subarray(0, page.length / 2), {}, 135],
  ['no manifest', makeArchive({ 'manifest.json': '' }), {}, 38],
  ['an unknown appmode', makeArchive({ 'index.html': '' }, { appmode: 'cobol' }), {}, 38],
  ['Shiny without app.R', makeArchive({ 'x/app.R': '' }, { appmode: 'shiny' }), {}, 38],
  ['Shiny with only ui.R', makeArchive({ 'ui.R': '' }, { appmode: 'shiny' }), {}, 38],
  ['R Markdown without index.Rmd', makeArchive({ 'x/index.Rmd': '' }, { appmode: 'rmd-static' }), {}, 38],
  [
    'R Markdown without its document',
    makeArchive({ 'index.Rmd': '' }, { appmode: 'rmd-static', primary_rmd: 'a.Rmd' }),
    {},
    38,
  ],
])('returns an error for %s and keeps nothing', async (_what, raw, headers, code) => {
  const { guid } = await create();
  const response = await owner.call('POST', `/v1/experimental/content/${guid}/upload`, { raw, headers });
  expect(response).toMatchObject(refused(400, code));
  expect((await owner.call('GET', `/v1/experimental/content/${guid}/bundles`)).body.total).toBe(0);
});
