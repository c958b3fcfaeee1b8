// Covers the description of dropped files for the dashboard's script: who may call it, and names outside the directory.
import { quoteName } from '@pressroom/api/contract';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookieHeader, signIn } from './hand-over.ts';

let server: TestServer;
let publisher: Person;
beforeAll(async () => {
  server = await startTestServer();
  publisher = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

async function describeAs(person: Person, files: unknown, headers: Record<string, string> = {}) {
  const session = await signIn(server.url, person);
  const response = await fetch(`${server.url}/__dashboard__/publish/describe`, {
    method: 'POST',
    headers: { cookie: cookieHeader(session), 'X-RSC-XSRF': session['RSC-XSRF']!, ...headers },
    body: JSON.stringify({ title: 'A report', files }),
  });
  const body = (await response.json()) as {
    readonly code?: number;
    readonly error?: string;
    readonly manifest?: object;
  };
  return { status: response.status, body };
}

test('returns the manifest and the files to upload for a publisher', async () => {
  const { status, body } = await describeAs(publisher, { 'index.html': '', '.env': '', 'img/a.png': '' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    manifest: { version: 1, metadata: { appmode: 'static', primary_html: 'index.html' } },
    files: ['img/a.png', 'index.html'].toSorted(),
    label: 'Web page',
    name: 'A-report',
  });
  expect(body.manifest).not.toHaveProperty('files');
});

test.each([
  ['../up.html'],
  ['/etc/passwd'],
  ['a/../../up.html'],
  ['a\0b'],
  ['x'.repeat(300)],
  ['a\\b'],
  [''],
])('rejects a file called %j by its name', async (name) => {
  const { status, body } = await describeAs(publisher, { 'index.html': '', [name]: 'x' });
  expect(status).toBe(400);
  if (name.length < 100) expect(body.error).toContain(`${quoteName(name)} cannot be published: the `);
});

test('rejects a name that is both a file and a directory', async () => {
  expect((await describeAs(publisher, { a: 'x', 'a/b': 'y' })).status).toBe(400);
  expect((await describeAs(publisher, ['a'])).status).toBe(400);
  expect((await describeAs(publisher, { 'index.html': 1 })).status).toBe(400);
});

test('rejects viewers, anonymous users, other origins and requests without the token', async () => {
  const files = { 'index.html': '' };
  const viewer = await server.person('viewer');
  expect(await describeAs(viewer, files)).toMatchObject({ status: 403, body: { code: 22 } });
  expect((await describeAs(publisher, files, { cookie: '' })).body.code).toBe(24);
  expect((await describeAs(publisher, files, { 'X-RSC-XSRF': 'wrong' })).body.code).toBe(92);
  const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  expect((await describeAs(publisher, files, elsewhere)).body.code).toBe(92);
  // Keys are for programs, which use the command line.
  const key = { cookie: '', authorization: `Key ${publisher.key}` };
  expect((await describeAs(publisher, files, key)).body.code).toBe(24);
});

// With backtracking at each space, sign or bracket, one of them would stop the server for minutes or hours.
test.each([
  ['Procfile', `web: a${' '.repeat(400_000)}b`],
  ['a.qmd', `---\nserver:${' '.repeat(400_000)}\u2028b\n---\n`],
  ['b.qmd', `---\nserver: a${' #'.repeat(200_000)}\u2028b\n---\n`],
  ['c.py', 'from a import (\n'.repeat(25_000)],
  ['d.py', 'async def a(scope\n'.repeat(22_000)],
  ['e.py', 'def a(environ\n'.repeat(28_000)],
  ['DESCRIPTION', `Title:${' '.repeat(400_000)}a\u2028b`],
])('a hostile %s does not keep the server from answering', async (name, text) => {
  const { status } = await describeAs(publisher, { 'app.R': 'library(shiny)\n', [name]: text });
  expect(status).toBe(200);
});

test('rejects more directories than files, before it creates any', async () => {
  const deep = (name: string) => `${name}/${'a/'.repeat(400)}x.txt`;
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [deep(String(i)), '']));
  const { status, body } = await describeAs(publisher, { 'index.html': '', ...files });
  expect([status, body.error]).toEqual([400, expect.stringContaining('more than 5000 directories')]);
});
