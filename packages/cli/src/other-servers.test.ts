// Covers servers that leave out fields, know other values, or contradict themselves.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startFakeServer, TEST_KEY, type FakeServer } from '../../api/src/client/testing/fake-server.ts';
import { json, refuse } from '../../api/src/client/testing/responses.ts';
import { runHere } from './testing/run-here.ts';

const GUID = 'cccccccc-0000-4000-8000-000000000009';
let home: string;
let fake: FakeServer;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'pressroom-other-'));
  await mkdir(path.join(home, 'site'));
  await writeFile(path.join(home, 'site', 'index.html'), '<h1>Hello</h1>');
  fake = await startFakeServer();
});
afterEach(async () => {
  await fake.close();
  await rm(home, { recursive: true });
});

function pressroom(...args: string[]) {
  const env = { XDG_CONFIG_HOME: home, CONNECT_SERVER: fake.url, CONNECT_API_KEY: TEST_KEY };
  return runHere(args, { env, cwd: home });
}

function serve(content: Record<string, unknown>): void {
  fake.on('GET', /^\/v1\/content\/[^/]+$/, (_request, response) =>
    json(response, 200, { guid: GUID, name: 'page', ...content }),
  );
}

test('status shows what a server says, without fields that it leaves out', async () => {
  serve({ content_url: 'http://localhost/page', access_type: 'company', app_mode: 'static', bundle_id: '1' });
  const { code, stdout, stderr } = await pressroom('status', GUID);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Access +company$/m);
  expect(stdout).toMatch(/^Your role$/m);
  expect(stdout).not.toContain('undefined');
});

test('visitor-keys leaves the integrations of other kinds that a server has', async () => {
  const [azure, visitors] = [
    { id: '1', guid: 'azure', template: 'azure' },
    { id: '2', guid: 'visitors', template: 'connect' },
  ];
  let set = ['azure'];
  fake.on('GET', /^\/v1\/oauth\/integrations$/, (_request, response) =>
    json(response, 200, [
      { ...azure, config: { auth_mode: 'Confidential' } },
      { ...visitors, config: { max_role: 'Viewer' } },
    ]),
  );
  fake.on('GET', /associations$/, (_request, response) =>
    json(
      response,
      200,
      set.map((guid) => ({
        oauth_integration_guid: guid,
        oauth_integration_template: guid === 'azure' ? 'azure' : 'connect',
      })),
    ),
  );
  fake.on('PUT', /associations$/, (request, response) => {
    const body = JSON.parse(request.body.toString()) as { oauth_integration_guid: string }[];
    set = body.map((one) => one.oauth_integration_guid);
    response.writeHead(204).end();
  });
  expect(await pressroom('visitor-keys', GUID)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'It does not act for its visitors.\n',
  });
  const given = await pressroom('visitor-keys', GUID, '--role', 'viewer');
  expect(given).toMatchObject({ code: 0, stderr: 'It may read what its visitors may read.\n' });
  expect(set).toEqual(['azure', 'visitors']);
  await pressroom('visitor-keys', GUID, '--remove');
  expect(set).toEqual(['azure']);
});

test('list shows items without a role', async () => {
  fake.on('GET', /^\/v1\/content(\?|$)/, (_request, response) =>
    json(response, 200, [{ guid: GUID, name: 'page', app_mode: 'static', bundle_id: '1' }]),
  );
  expect(await pressroom('list')).toMatchObject({ code: 0, stderr: '' });
});

test('share shows people who are gone, and access types that it does not know', async () => {
  serve({ access_type: 'company' });
  fake.on('GET', /permissions$/, (_request, response) =>
    json(response, 200, [
      { id: '1', principal_guid: 'gone', principal_type: 'user', role: 'owner' },
      { id: '2', principal_guid: 'ada', principal_type: 'user', role: 'viewer' },
    ]),
  );
  fake.on('GET', /^\/v1\/users\/gone$/, (_request, response) => refuse(response, 404, 4));
  fake.on('GET', /^\/v1\/users\/ada$/, (_request, response) =>
    json(response, 200, { guid: 'ada', username: 'ada' }),
  );
  const { code, stdout, stderr } = await pressroom('share', '--content', GUID);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe('Visible to: company\ngone  can edit\nada   can view\n');
});

test('bundles shows bundles without a size', async () => {
  fake.on('GET', /bundles/, (_request, response) => json(response, 200, [{ id: '7', active: true }]));
  const { code, stdout, stderr } = await pressroom('bundles', GUID);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\* +7$/m);
});

test('content without names and titles is not suggested', async () => {
  fake.on('GET', /content$|applications/, (_request, response) =>
    json(response, 200, [{ guid: GUID, title: 'Sales figures' }, { guid: GUID }]),
  );
  const near = await pressroom('status', 'Sales figurs');
  expect(near).toMatchObject({ code: 2, stderr: expect.stringMatching(/Did you mean: 'Sales figures'\n$/) });
  expect((await pressroom('status', 'x')).stderr).toContain('pressroom list');
});

test('open of content without an address does not make one up', async () => {
  serve({ content_url: null });
  const { code, stdout, stderr } = await pressroom('open', GUID, '--print');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('This server does not report an address of the content.');
  const dashboard = await pressroom('open', GUID, '--print', '--dashboard');
  expect(dashboard.stderr).toContain('This server does not report a dashboard address.');
});

test('tags that are above each other end', async () => {
  fake.on('GET', /^\/v1\/tags/, (_request, response) =>
    json(response, 200, [
      { id: '1', name: 'a', parent_id: '2' },
      { id: '2', name: 'b', parent_id: '1' },
      { id: '3', name: 'c', parent_id: '3' },
    ]),
  );
  expect(await pressroom('tags', '--all')).toMatchObject({ code: 0, stdout: 'a/b\nb/a\nc\n', stderr: '' });
});

test('a deploy succeeds whose content has no address', async () => {
  fake.on('GET', /^\/v1\/content\/[^/]+$/, (_request, response) => json(response, 200, { guid: GUID }));
  const { code, stderr } = await pressroom('deploy', 'site');
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Published.') as string,
  });
});

test('the report of a deploy with an unknown outcome does not say that it failed', async () => {
  fake.on('GET', /tasks/, (_request, response) => refuse(response, 401, 24));
  const { code } = await pressroom('deploy', 'site', '--report', 'report.md');
  expect(code).toBe(5);
  expect(await readFile(path.join(home, 'report.md'), 'utf8')).toMatch(
    /^\*\*The outcome of the deploy is unknown\.\*\*\n/,
  );
});

test('a draft that is ready, and whose address cannot be read, is not of unknown outcome', async () => {
  const task = { id: 'T', output: [], finished: true, code: 0, error: '', last: 0 };
  fake.on('POST', /(build|deploy)$/, (_request, response) => json(response, 202, { task_id: 'T' }));
  fake.on('GET', /tasks/, (_request, response) => json(response, 200, task));
  fake.on('GET', /drafts/, (_request, response) => refuse(response, 401, 24));
  const { code, stdout, stderr } = await pressroom('deploy', 'site', '--draft', '--report', 'report.md');
  expect(stderr).toContain('The deploy has succeeded, but its result could not be read: ');
  expect(stderr).toContain('To check again, run: pressroom logs ');
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  const report = await readFile(path.join(home, 'report.md'), 'utf8');
  expect(report).toMatch(/^\*\*The deploy has succeeded\. Its result could not be read\.\*\*\n/);
});

test('a server that is slow is waited for, which is said once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow = { json: '', text: '' };
  fake.on('GET', /server_settings|user/, (_request, response) => {
    vi.advanceTimersByTime(5000);
    refuse(response, 401, 24);
  });
  slow.text = (await pressroom('whoami')).stderr;
  slow.json = (await pressroom('whoami', '--json')).stderr;
  expect(slow.text.match(/Waiting/g)).toHaveLength(1);
  expect(slow.text).toContain(`Note: Waiting for a response from ${fake.url} …\n`);
  expect(slow.json).not.toContain('Waiting');
});

test('a cancelled command says so as JSON with --json', async () => {
  fake.on('GET', /tasks/, (_request, response) => {
    setTimeout(() => json(response, 200, { id: 'T', output: [], finished: false, last: 0 }), 5000).unref();
  });
  const env = { XDG_CONFIG_HOME: home, CONNECT_SERVER: fake.url, CONNECT_API_KEY: TEST_KEY };
  const signal = AbortSignal.timeout(300);
  const { code, stderr } = await runHere(['logs', 'T', '--json'], { env, cwd: home, signal });
  expect({ code, error: JSON.parse(stderr) as unknown }).toEqual({
    code: 130,
    error: {
      error: 'Cancelled.',
      failure: 'Cancelled',
      code: null,
      payload: null,
      status: null,
      kind: 'aborted',
      hint: '',
    },
  });
});

test.each([
  ['rollback', '--content', GUID],
  ['changes', GUID],
  ['release', GUID],
])('%s says that it cannot order bundles whose ids are no numbers', async (...command) => {
  serve({ bundle_id: 'b-9' });
  fake.on('GET', /bundles/, (_request, response) =>
    json(response, 200, [
      { id: 'b-9', active: true },
      { id: 'b-8', active: false },
    ]),
  );
  const { code, stderr } = await pressroom(...command);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^Error: The server's bundle id b-\d is no number, so which bundle is newer is unknown\.$/m,
    ) as string,
  });
  expect(fake.requests.map(({ method }) => method)).not.toContain('POST');
});

test.each([
  ['repositories', 'list', GUID],
  ['repositories', 'clear', GUID],
  ['variables', GUID, '--from', 'all.env'],
  ['share', 'ada', '--content', GUID],
])('%s %s --json writes no plain sentences to standard error', async (...command) => {
  serve({ app_mode: 'static' });
  await writeFile(path.join(home, 'all.env'), 'A=1\nCONNECT_SERVER=x\n');
  fake.on('GET', /package-sources$/, (_request, response) => json(response, 200, []));
  fake.on('PUT', /package-sources$/, (_request, response) => json(response, 200, []));
  fake.on('PATCH', /environment$/, (_request, response) => json(response, 200, ['A']));
  const ada = { guid: 'ada', username: 'ada' };
  fake.on('GET', /v1\/users\?/, (_request, response) =>
    json(response, 200, { results: [ada], current_page: 1, total: 1 }),
  );
  fake.on('GET', /v1\/users\/ada$/, (_request, response) => json(response, 200, ada));
  const owner = { id: '1', principal_guid: 'ada', principal_type: 'user', role: 'owner' };
  fake.on('GET', /permissions$/, (_request, response) => json(response, 200, [owner]));
  fake.on('PUT', /permissions/, (_request, response) => json(response, 200, owner));
  const { code, stderr } = await pressroom(...command, '--json');
  expect(code, stderr).toBe(0);
  expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([]);
});
