// Covers what clients learn before any call: the API version, and whether their key is valid.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish, startTestServer, upload, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const settings = (headers: Record<string, string> = {}) =>
  server.anonymous('GET', '/server_settings', { headers });

/** Compares versions number by number, as posit-sdk, connectapi and rsconnect-python do. */
function isAtLeast(version: string, wanted: string): boolean {
  const [a, b] = [version, wanted].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = b.findIndex((part, i) => part !== (a[i] ?? 0));
  return at < 0 || (a[at] ?? 0) > b[at]!;
}

test('the API version enables client features, and what they ask for exists here', async () => {
  const { server_version, version: told } = (await settings()).body;
  expect(server_version).toMatch(/^\d+\.\d+\.\d+/);
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, { 'index.html': 'page' });
  const bundle_id = await upload(owner, guid, { 'index.html': 'next' });
  // connectapi: versions of Quarto, searches, hits, packages; posit-sdk: environments, integrations; rsconnect-python:
  // drafts; rsconnect for R: Node.js.
  for (const [version, path] of [
    ['2021.08.0', '/v1/server_settings/quarto'],
    ['2022.10.0', `/v1/content/${guid}/jobs`],
    ['2023.05.0', '/v1/environments'],
    ['2024.04.0', '/v1/search/content?q=page'],
    ['2024.05.0', '/v1/server_settings/tensorflow'],
    ['2024.06.0', '/v1/content?include=vanity_url'],
    ['2024.11.0', '/v1/packages'],
    ['2024.12.0', '/v1/oauth/integrations'],
    ['2025.01.0', `/v1/content/${guid}/packages`],
    ['2026.01.0', `/v1/instrumentation/content/hits?content_guid=${guid}`],
    ['2026.04.0', '/v1/server_settings/nodejs'],
  ] as const) {
    expect(isAtLeast(told, version), version).toBe(true);
    expect((await owner.call('GET', path)).status, path).toBe(200);
  }
  const body = { bundle_id, activate: false };
  expect((await owner.call('POST', `/v1/content/${guid}/deploy`, { body })).status).toBe(200);
});

test('tells what Posit Publisher looks for before it publishes an API', async () => {
  expect((await settings()).body.license).toEqual({
    'allow-apis': true,
    'current-user-execution': false,
    'enable-launcher': false,
    'oauth-integrations': false,
  });
});

test('the list of Quarto installations is empty without Quarto', async () => {
  const publisher = await server.person('publisher');
  const { status, body } = await publisher.call('GET', '/v1/server_settings/quarto');
  expect([status, body]).toEqual([200, { installations: [] }]);
});

test('lists all configured R and Python installations, the default first', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-interpreters-'));
  const interpreter = async (name: string, lines: readonly string[]) => {
    const file = join(directory, name);
    await writeFile(file, `#!/bin/sh\nprintf '%s\\n' ${lines.join(' ')}\n`, { mode: 0o755 });
    return file;
  };
  const python = await interpreter('python3', ['3.99.1', '24.0', '/usr', '/usr']);
  const r = await interpreter('Rscript', [
    '4.99.0',
    'x86_64-pc-linux-gnu',
    '/usr/lib/R',
    '@CRAN@',
    '/usr/lib/R/library',
  ]);
  await using own = await startTestServer({
    settings: { 'Python.Executable': `${python}, /usr/bin/python3`, 'R.Executable': `${r},/usr/bin/Rscript` },
  });
  const publisher = await own.person('publisher');
  const listed = async (language: string) =>
    (await publisher.call('GET', `/v1/server_settings/${language}`)).body.installations;
  const usual = { cluster_name: 'Local', image_name: 'Local', publishable: true };
  expect(await listed('python')).toEqual([
    { version: '3.99.1', ...usual },
    { version: expect.stringMatching(/^3\.\d+\.\d+$/), ...usual },
  ]);
  expect(await listed('r')).toEqual([{ version: '4.99.0' }, { version: expect.stringMatching(/^4\./) }]);
  await rm(directory, { recursive: true });
});

test('API.Version overrides the version, or hides it', async () => {
  for (const [told, answered] of [
    ['2024.08.0', '2024.08.0'],
    ['none', ''],
  ] as const) {
    await using own = await startTestServer({ settings: { 'API.Version': told } });
    expect((await own.anonymous('GET', '/server_settings')).body.version).toBe(answered);
  }
});

test('rejects an invalid key, but accepts none or Basic credentials', async () => {
  const { key } = await server.person('viewer');
  expect(await settings({ Authorization: `Key ${key}` })).toMatchObject({ status: 200 });
  expect(await settings({ Authorization: 'Key nonsense' })).toMatchObject({
    status: 401,
    body: { code: 24 },
  });
  expect(await settings({ Authorization: 'Key ' })).toMatchObject({ status: 401, body: { code: 24 } });
  expect(await settings({ Authorization: 'Basic YTpi' })).toMatchObject({ status: 200 });
  expect(await settings()).toMatchObject({ status: 200 });
});

test('a path that ends in /connect gets a hint to leave it out', async () => {
  const { status, body } = await server.anonymous('GET', '//connect/__api__/server_settings');
  expect([status, body.code]).toEqual([404, 2]);
  expect(body.error).toContain('the address of this server does not end in /connect');
  expect((await server.anonymous('GET', '/nothing')).body.error).toBe('Method or endpoint not supported');
});
