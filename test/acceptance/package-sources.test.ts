// Covers package repositories of content: who sets them, which are allowed, and that passwords are never shown.
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const INDEX = 'https://packages.example.com/simple/';
const PASSWORD = 'pass word of the index';

let server: TestServer;
let directory: string;
let owner: Person;
let guid: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-packages-'));
  server = await startTestServer({ settings: { 'Packages.ContentDirectories': directory } });
  owner = await server.person('publisher');
  guid = (await owner.call('POST', '/v1/content', { body: { name: 'sales' } })).body.guid;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const path = () => `/v1/content/${guid}/package-sources`;
const set = (sources: object[], person = owner) => person.call('PUT', path(), { body: { sources } });
const python = (more: object) => ({ language: 'python', address: INDEX, ...more });
const kept = async () => {
  const { db } = server.running.services.storage;
  return db.selectFrom('package_source').selectAll().where('content_guid', '=', guid).execute();
};

test('keeps their order, and their passwords sealed and hidden until set again', async () => {
  const wanted = [
    python({ username: 'ada', password: PASSWORD }),
    { language: 'python', address: 'server' },
    { language: 'r', address: 'https://cran.example.com' },
  ];
  const responses = [await set(wanted), await owner.call('GET', path())];
  for (const { body } of responses)
    expect(body).toEqual([
      { language: 'python', address: INDEX, username: 'ada', has_password: true },
      { language: 'python', address: 'server', username: null, has_password: false },
      { language: 'r', address: 'https://cran.example.com/', username: null, has_password: false },
    ]);
  const [first] = await kept();
  expect(first!.password).toMatch(/^\$[0-9a-f]{8}\$/);
  await set([{ language: 'r', address: 'server' }, python({ username: 'ada' })]);
  expect((await kept()).map(({ password }) => password)).toEqual([null, first!.password]);
  // With another account or address, the stored password does not apply.
  expect((await set([python({ username: 'bob' })])).body[0].has_password).toBe(false);
  const audit = await (await server.administrator()).call('GET', '/v1/audit_logs');
  const text = JSON.stringify(audit.body);
  expect(text).toContain(`python ${INDEX}`);
  expect(text).not.toContain(PASSWORD);
  expect((await set([])).body).toEqual([]);
});

test.each([
  ['ftp://example.com', 25],
  ['https://ada:secret@example.com/simple', 25],
  ['https://example.com/simple?token=1', 25],
  ['https://example.com/a,https://example.com/b', 25],
  ['file:///etc', 22],
  ['file://elsewhere/packages', 22],
  ['packages', 25],
])('rejects %s', async (address, code) => {
  expect((await set([{ language: 'python', address }])).body).toMatchObject({ code });
  expect(await kept()).toEqual([]);
});

test('rejects a password over plain http, and duplicate addresses', async () => {
  const plain = { language: 'python', address: 'http://packages.example.com/simple', password: PASSWORD };
  expect((await set([plain])).body).toMatchObject({ code: 25 });
  expect((await set([python({}), python({ username: 'ada' })])).body).toMatchObject({ code: 25 });
  expect((await set([{ language: 'r', address: 'server', password: 'x' }])).body).toMatchObject({ code: 25 });
});

test('accepts only directories below one that an administrator allows, with links resolved', async () => {
  expect((await set([{ language: 'r', address: `file://${directory}` }])).status).toBe(200);
  await symlink('/etc', join(directory, 'link'));
  expect((await set([{ language: 'r', address: `file://${directory}/link` }])).body.code).toBe(22);
  expect((await set([{ language: 'r', address: `file://${directory}/../` }])).body.code).toBe(22);
});

test('are restricted to collaborators, and an administrator can forbid them', async () => {
  const stranger = await server.person('publisher');
  expect((await set([], stranger)).status).toBe(403);
  expect((await stranger.call('GET', path())).status).toBe(403);
  await set([python({ username: 'ada', password: PASSWORD })]);
  await server.restart({ 'Packages.ContentSources': false });
  expect((await set([python({})])).body).toMatchObject({ code: 22 });
  expect((await set([])).status).toBe(200);
});
