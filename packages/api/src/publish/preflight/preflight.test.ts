import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../client/index.ts';
import type { ContentItem } from '../../client/methods.ts';
import { startFakeServer, TEST_KEY } from '../../client/testing/fake-server.ts';
import { json, refuse } from '../../client/testing/responses.ts';
import { collectFiles } from '../collect/collect-files.ts';
import { preflight, type PreflightOptions } from './preflight.ts';
import { readServerFacts } from './server-facts.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pressroom-preflight-'));
});
afterEach(() => rm(dir, { recursive: true }));

const NOTHING_SAID = { maxBundleBytes: undefined, versions: undefined };
const content = (fields: object) =>
  ({ name: 'sales', role: 'owner', app_mode: 'python-fastapi', ...fields }) as unknown as ContentItem;

async function find(fields: Partial<PreflightOptions>) {
  const { files, bytes } = await collectFiles(dir);
  const given = { dir, appmode: 'python-fastapi', files, bytes, content: undefined, facts: NOTHING_SAID };
  return preflight({ ...given, ...fields });
}

test('reports locked content, a viewer’s content, and another type', async () => {
  expect(await find({ content: content({ locked: true, locked_message: 'closing the year' }) })).toEqual([
    { code: 'locked', content: 'sales', reason: 'closing the year', dashboard: null },
  ]);
  expect(await find({ content: content({ role: 'viewer' }) })).toEqual([
    { code: 'not-editor', content: 'sales' },
  ]);
  expect(await find({ content: content({ app_mode: 'static' }) })).toEqual([
    { code: 'other-type', content: 'sales', published: 'static', type: 'python-fastapi' },
  ]);
});

test.each(['', 'unknown', 'api', 'python-fastapi', 'a-mode-of-tomorrow'])(
  'accepts content of type "%s"',
  async (app_mode) => {
    expect(await find({ content: content({ app_mode }) })).toEqual([]);
  },
);

test('reports a missing language, and versions other than the project requires', async () => {
  await writeFile(path.join(dir, '.python-version'), '3.9\n');
  expect(await find({ facts: { ...NOTHING_SAID, versions: [] } })).toEqual([
    { code: 'no-runtime', language: 'Python' },
  ]);
  expect(await find({ facts: { ...NOTHING_SAID, versions: ['3.11.2'] } })).toEqual([
    {
      code: 'other-runtime',
      language: 'Python',
      wanted: '3.9.0',
      from: '.python-version',
      installed: ['3.11.2'],
    },
  ]);
  expect(await find({ facts: { ...NOTHING_SAID, versions: ['3.11.2', '3.9.18'] } })).toEqual([]);
  await writeFile(path.join(dir, 'pyproject.toml'), '[project]\nrequires-python = ">=3.11,<3.13"\n');
  expect(await find({ facts: { ...NOTHING_SAID, versions: ['3.11.2'] } })).toEqual([]);
  expect(await find({ facts: { ...NOTHING_SAID, versions: ['3.9.18'] } })).toMatchObject([
    { code: 'other-runtime', wanted: '>=3.11,<3.13', from: 'pyproject.toml', installed: ['3.9.18'] },
  ]);
  await writeFile(path.join(dir, 'renv.lock'), '{"R": {"Version": "4.1.0"}, "Packages": {}}');
  const r = { appmode: 'shiny', facts: { ...NOTHING_SAID, versions: ['4.2.2'] } };
  expect(await find(r)).toMatchObject([{ code: 'other-runtime', language: 'R', wanted: '4.1.0' }]);
});

test('reports files above the size limit and files that may hold secrets', async () => {
  await writeFile(path.join(dir, 'app.py'), 'x'.repeat(20));
  expect(await find({ facts: { ...NOTHING_SAID, maxBundleBytes: 10 } })).toEqual([
    { code: 'too-large', bytes: 20, limit: 10 },
  ]);
  for (const name of ['server.pem', 'credentials.json', 'secrets.toml', 'tokens.py', 'keys.csv'])
    await writeFile(path.join(dir, name), '');
  expect(await find({})).toEqual([
    { code: 'secret-files', files: ['credentials.json', 'secrets.toml', 'server.pem'] },
  ]);
});

test('reads server facts in two requests and ignores refused ones', async () => {
  await using server = await startFakeServer();
  const client = createClient({ url: server.url, apiKey: TEST_KEY });
  server.on('GET', /^\/server_settings\/applications$/, (_request, response) =>
    json(response, 200, { access_types: ['acl'], max_bundle_size: 1000 }),
  );
  server.on('GET', /^\/v1\/server_settings\/r$/, (_request, response) =>
    json(response, 200, { installations: [{ version: '4.2.2' }] }),
  );
  server.on('GET', /^\/v1\/server_settings\/python$/, (_request, response) => refuse(response, 403, 22));
  expect(await readServerFacts(client, 'R')).toEqual({ maxBundleBytes: 1000, versions: ['4.2.2'] });
  expect(server.calls()).toHaveLength(2);
  expect(await readServerFacts(client, 'Python')).toEqual({ maxBundleBytes: 1000, versions: undefined });
  await client.close();
});
