// Covers git-backed content with a real Git server: what is deployed, what is refused, and who is told.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import {
  caller,
  finishedTask,
  grant,
  pythonApi,
  startGitServer,
  startTestServer,
  type GitServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GIT_SETTINGS, gitSteps } from './git-steps.ts';

const TOKEN = 'glpat-Very-Secret-0123456789';
let server: TestServer;
let git: GitServer;
let owner: Person;
let guid: string;
const steps = gitSteps(() => ({ server, git, owner, guid }));
const { bundles, connect, deploy, deploys, newContent, page, path, push, signed, sendWebhook } = steps;

beforeAll(async () => {
  server = await startTestServer({ settings: GIT_SETTINGS });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  git = await startGitServer();
  guid = await newContent();
});
afterEach(() => git[Symbol.asyncDispose]());

describe('Deploy of a commit', () => {
  test('accepts the requests of deploy_repo of connectapi', async () => {
    await git.push({ 'index.html': '<p>from R' });
    const asked = { repository: git.url, branch: 'main', directory: '.', polling: false };
    expect((await owner.call('PUT', path(), { body: asked })).status).toBe(200);
    const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} });
    expect(await finishedTask(owner, body.task_id)).toMatchObject({ code: 0 });
    expect(await page()).toContain('from R');
    expect(await owner.call('PATCH', path(), { body: { polling: true } })).toMatchObject({
      status: 200,
      body: { directory: '.', polling: true },
    });
  });

  test('reads the repository with a token that no response contains', async () => {
    git.credentials = `deploy:${TOKEN}`;
    await git.push({ 'index.html': '<p>private' });
    const responses = [await connect()];
    const failed = await deploy();
    expect(failed.error).toMatch(/^authentication: .*asks for a token/);
    responses.push(await owner.call('PATCH', path(), { body: { username: 'deploy', token: TOKEN } }));
    expect(responses[1]?.body).toMatchObject({ has_token: true, username: 'deploy' });
    const done = await deploy();
    expect(done).toMatchObject({ code: 0 });
    responses.push(await owner.call('GET', path()), await owner.call('GET', `/v1/content/${guid}/bundles`));
    const log = await (await server.administrator()).call('GET', '/v1/audit_logs?limit=100&ascOrder=false');
    const rows = await server.running.services.storage.db.selectFrom('repository').selectAll().execute();
    const all = JSON.stringify([responses, failed, done, log.body, rows]);
    expect(all).not.toContain(TOKEN);
    expect(all).not.toContain(Buffer.from(`deploy:${TOKEN}`).toString('base64'));
  });

  test('the token and deploy key of a repository are forgotten with it', async () => {
    // Otherwise a collaborator could read everything that they open on this host.
    await connect({ username: 'deploy', token: TOKEN });
    const collaborator = await server.person('publisher');
    await grant(owner, guid, collaborator, 'owner');
    const change = (repository: string) => collaborator.call('PATCH', path(), { body: { repository } });
    const branch = await collaborator.call('PATCH', path(), { body: { branch: 'next' } });
    expect(branch.body).toMatchObject({ has_token: true });
    expect((await change(git.url)).body).toMatchObject({ has_token: true });
    const moved = await change(git.url.replace('reports', 'salaries'));
    expect(moved.body).toMatchObject({ has_token: false });
    const first = await change('ssh://git@git.example.com/reports');
    expect((await change('ssh://git@git.example.com/reports')).body.public_key).toBe(first.body.public_key);
    const other = await change('ssh://git@git.example.com/salaries');
    expect(other.body.public_key).toMatch(/^ssh-/);
    expect(other.body.public_key).not.toBe(first.body.public_key);
  });

  test.each<[string, Parameters<GitServer['push']>[0], object, RegExp]>([
    ['no such branch', { 'index.html': 'x' }, { branch: 'absent' }, /^no such branch/],
    ['no such directory', { 'index.html': 'x' }, { directory: 'absent' }, /^no such directory/],
    ['nothing to publish', { 'notes.xyz': 'x' }, {}, /no manifest/],
    [
      'content in a directory',
      { 'sales/index.html': 'x' },
      {},
      /no manifest: .* the directory sales instead/,
    ],
    [
      'a link out of the repository',
      { 'index.html': 'x', passwd: { link: '/etc/passwd' } },
      {},
      /symbolic link/,
    ],
  ])('%s fails by name, and nothing goes live', async (_, files, wanted, error) => {
    await git.push(files);
    await connect(wanted);
    expect((await deploy()).error).toMatch(error);
    expect((await owner.call('GET', path())).body.last_error).toMatch(error);
    expect(await bundles()).toEqual([]);
  });

  test('does not fetch a repository that is too large', async () => {
    await git.push({ 'index.html': 'x', 'data.txt': randomBytes(2 ** 21).toString('hex') });
    await connect();
    expect((await deploy()).error).toMatch(/^too large/);
    expect(await bundles()).toEqual([]);
  });

  test('a few bytes that are millions of files are refused as too many', async () => {
    await git.push({ 'index.html': 'x' });
    // Each directory has the one before 40 times.
    const nested = `!tree=$(git write-tree); for level in 1 2 3 4; do tree=$(for n in $(seq 40); do
    printf '040000 tree %s\\t%040d\\n' $tree $n; done | git mktree); done; echo $tree`;
    const tree = await git.git('-c', `alias.nested=${nested}`, 'nested');
    const commit = await git.git('commit-tree', '-m', 'Many', tree);
    await git.git('push', '-q', '-f', '../reports.git', `${commit}:refs/heads/main`);
    await connect();
    expect((await deploy()).error).toMatch(/^too large: .* too many/);
    expect(await bundles()).toEqual([]);
  });

  test('runs no filter or hook, and fetches no submodule', async () => {
    await git.push({
      'index.html': '<p>plain',
      '.gitattributes': '* filter=evil\n*.html diff=evil merge=evil\n',
      '.gitconfig': '[filter "evil"]\nsmudge = touch /tmp/pressroom-git-evil\nrequired = true\n',
    });
    await connect();
    expect(await deploy()).toMatchObject({ code: 0 });
    expect(await page()).toContain('plain');
    const sha = await git.git('rev-parse', 'HEAD');
    await git.git('update-index', '--add', '--cacheinfo', `160000,${sha},module`);
    await git.git('commit', '-q', '-m', 'With a submodule');
    await git.git('push', '-q', '../reports.git', 'HEAD:refs/heads/main');
    expect((await deploy()).error).toMatch(/module is a submodule/);
    expect(await page()).toContain('plain');
  });

  test('follows no redirect, and reports a server that is no Git server', async () => {
    await git.push({ 'index.html': 'x' });
    await using other = await startGitServer();
    await connect();
    git.intercept = (request, response) => {
      response.writeHead(302, { Location: other.url.replace('/reports.git', request.url ?? '') }).end();
      return true;
    };
    expect((await deploy()).error).toMatch(/^redirected/);
    expect(other.requests).toEqual([]);
    git.intercept = (_, response) => (response.end('hello'), true);
    expect((await deploy()).error).toMatch(/Git repository|could not read|no such branch/);
  });
});

describe('Large files (Git LFS)', () => {
  const DATA = randomBytes(300_000);
  const fileAt = async (name: string) =>
    Buffer.from(
      await (
        await fetch(`${server.url}/content/${guid}/${name}`, {
          headers: { Authorization: `Key ${owner.key}` },
        })
      ).arrayBuffer(),
    );
  const largeRequests = () => git.requests.filter(({ path: asked }) => asked.includes('/info/lfs/'));
  const pushLarge = (files: Record<string, string> = {}) =>
    git.push({
      'index.html': '<p>large',
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'data.bin': git.keepLarge(DATA),
      ...files,
    });

  test('replace their pointers in all directories, each fetched once', async () => {
    await pushLarge({
      'more/same.bin': git.keepLarge(DATA),
      'more/other.bin': git.keepLarge(randomBytes(9)),
    });
    await connect();
    const done = await deploy();
    expect(done).toMatchObject({ code: 0 });
    expect(done.output.join('\n')).toContain('Fetching 2 large files, 300009 bytes');
    for (const name of ['data.bin', 'more/same.bin']) expect(DATA.equals(await fileAt(name))).toBe(true);
    expect(await fileAt('more/other.bin')).toHaveLength(9);
    expect(largeRequests()).toHaveLength(3);
  });

  test('send the token to the host of the repository only', async () => {
    git.credentials = `deploy:${TOKEN}`;
    await using other = await startGitServer();
    await pushLarge({ '.lfsconfig': `[lfs]\nurl = ${other.url}/info/lfs\n` });
    await connect({ username: 'deploy', token: TOKEN });
    expect(await deploy()).toMatchObject({ code: 0 });
    expect(DATA.equals(await fileAt('data.bin'))).toBe(true);
    expect(other.requests).toEqual([]);
    // Another host gets only what the batch response says.
    for (const [oid, content] of git.large) other.large.set(oid, content);
    git.largeAction = (oid) => ({
      actions: {
        download: {
          href: `${other.url}/info/lfs/objects/${oid}`,
          header: { 'X-For-This': 'one', Host: 'evil' },
        },
      },
    });
    expect(await deploy({ force: true })).toMatchObject({ code: 0 });
    expect(other.requests).toMatchObject([{ authorization: undefined }]);
    // Nor does a host that it redirects to.
    git.largeAction = null;
    git.intercept = ({ method, url = '' }, response) => {
      if (method !== 'GET' || !url.includes('/info/lfs/')) return false;
      response.writeHead(302, { Location: other.url.replace('/reports.git', url) }).end();
      return true;
    };
    expect(await deploy({ force: true })).toMatchObject({ code: 0 });
    expect(other.requests).toMatchObject([{ authorization: undefined }, { authorization: undefined }]);
  });
});

test.each([
  [{ branch: '--upload-pack=touch /tmp/x' }, /branch/],
  [{ branch: 'a..b' }, /branch/],
  [{ directory: '../other' }, /directory/],
  [{ directory: '.git/hooks' }, /directory/],
  [{ repository: 'ext::sh -c touch% /tmp/x' }, /repository/],
  [{ repository: 'file:///etc' }, /repository/],
  [{ repository: '/etc' }, /repository/],
  [{ repository: '--upload-pack=x' }, /repository/],
  [{ repository: 'https://user:secret-in-url@git.example.com/x' }, /user or a password/],
  [{ repository: 'http://git.example.com/x', token: TOKEN }, /https/],
])('rejects %j', async (wanted, error) => {
  const response = await connect(wanted);
  expect(response).toMatchObject({ status: 400, body: { code: 25, error: expect.stringMatching(error) } });
  expect(JSON.stringify(response.body)).not.toContain('secret-in-url');
});

test('rejects a host with a private address, and names the setting that permits it', async () => {
  await connect({ repository: git.url.replace('127.0.0.1', 'localhost') });
  expect((await deploy()).error).toMatch(/localhost has a private address.*Git\.PrivateHosts/);
  expect(git.requests).toEqual([]);
});

describe('Push webhooks', () => {
  test('a push signed as its service does triggers a poll; others are rejected', async () => {
    await git.push({ 'index.html': '<p>one' });
    await connect();
    expect(await push('{}', {})).toBe(401);
    expect(await push('{}', { 'X-Hub-Signature-256': `sha256=${signed('{} ')}` })).toBe(401);
    expect(await push('{}', { 'X-Gitlab-Token': 'wrong' })).toBe(401);
    expect(await push('x'.repeat(25 * 2 ** 20 + 1), {})).toBe(400);
    const long = 'x'.repeat(25 * 2 ** 20);
    expect(await push(long, { 'X-Hub-Signature-256': `sha256=${signed('{}')}` })).toBe(401);
    expect(git.requests).toEqual([]);
    expect(await sendWebhook()).toBe(204);
    await deploys(1);
    expect(await page()).toContain('one');
    expect(await push(long, { 'X-Hub-Signature-256': `sha256=${signed(long)}` })).toBe(204);
    const bare = { 'X-Gitea-Signature': signed('{"a":1}') };
    for (const headers of [bare, { 'X-Gitlab-Token': steps.secret }])
      expect(await push('{"a":1}', headers)).toBe(204);
    server.running.services.polling.pollSoon();
    expect(await bundles()).toHaveLength(1);
    const before = steps.secret;
    steps.secret = (await owner.call('POST', `${path()}/secret`)).body.webhook_secret;
    expect(await push('{}', { 'X-Gitlab-Token': before })).toBe(401);
  });
});

test('a commit is tried again after a restart that interrupted its deploy', async () => {
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const manifest = JSON.stringify({ version: 1, metadata, files: { 'app.py': { checksum: '' } } });
  const app = `import time\ntime.sleep(2)\n${pythonApi('slow')['app.py']}`;
  await git.push({ 'app.py': app, 'manifest.json': manifest });
  await connect();
  const started = await owner.call('POST', `${path()}/deploy`, { body: {} });
  const task = async () => (await owner.call('GET', `/v1/tasks/${started.body.task_id}`)).body;
  await expect.poll(async () => (await task()).output.join('\n')).toContain('Launching');
  await server.restart();
  expect(await task()).toMatchObject({ finished: true, end_reason: 'interrupted' });
  await expect.poll(page).toContain('slow');
  expect(await bundles()).toHaveLength(1);
  await server.restart();
  expect((await owner.call('GET', path())).body.last_known_commit).not.toBeNull();
});

test('a rollback that a restart interrupted is not started again', async () => {
  await git.push({ 'index.html': '<p>one' });
  await connect();
  await deploy();
  const [first] = await bundles();
  await git.push({ 'index.html': '<p>two' });
  await deploy();
  const { services } = server.running;
  const { storage } = services;
  await storage.write((tx) =>
    services.tasks.create(tx, {
      kind: 'deploy',
      content_guid: guid,
      bundle_id: Number(first.id),
      user_guid: owner.guid,
    }),
  );
  await server.restart();
  expect((await owner.call('GET', path())).body.last_known_commit).not.toBeNull();
});

test('a repository that does not respond does not hold up those of other people', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const other = await server.person('publisher');
  const theirs = (await other.call('POST', '/v1/content', { body: { name: 'slow' } })).body.guid;
  const repository = `http://127.0.0.1:${port}/slow.git`;
  const asked = once(silent, 'connection') as Promise<[Socket]>;
  await other.call('PUT', `/v1/content/${theirs}/repository`, { body: { repository, polling: true } });
  await git.push({ 'index.html': '<p>one' });
  const { polling } = server.running.services;
  polling.pollSoon();
  const [socket] = await asked;
  await connect({ polling: true });
  polling.pollSoon();
  await deploys(1);
  expect(await page()).toContain('one');
  expect(socket.closed).toBe(false);
  await other.call('DELETE', `/v1/content/${theirs}/repository`);
  socket.destroy();
  silent.close();
});

test('a key with an expiry cannot connect a repository', async () => {
  const { body } = await owner.call('POST', `/v1/users/${owner.guid}/keys`, {
    body: { name: 'short', expires_time: new Date(Date.now() + 600_000).toISOString() },
  });
  const limited = caller(() => server.url, body.key);
  expect(await limited('PUT', path(), { body: { repository: git.url } })).toMatchObject({
    body: { code: 22 },
  });
});
