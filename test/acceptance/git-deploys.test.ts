// Covers deploys of commits: one for each, none lost, resumed, and by one of several servers.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  finishedTask,
  grant,
  makeArchive,
  startGitServer,
  startTestServer,
  type GitServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { GIT_SETTINGS, gitSteps } from './git-steps.ts';

let server: TestServer;
let git: GitServer;
let owner: Person;
let guid: string;
const steps = gitSteps(() => ({ server, git, owner, guid }));
const { bundles, connect, deploy, deploys, newContent, page, path, sendWebhook } = steps;

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

test('creates a bundle with its origin, and deploys each commit once unless forced', async () => {
  const sha = await git.push(
    { 'site/index.html': '<p>one', 'README.md': 'no content' },
    { message: 'First\n\nMore' },
  );
  expect(await connect({ directory: 'site/' })).toMatchObject({
    status: 200,
    body: { repository: git.url, branch: 'main', directory: 'site', polling: false, has_token: false },
  });
  expect(await deploy()).toMatchObject({ code: 0 });
  expect(await page()).toContain('one');
  const [bundle] = await bundles();
  expect(bundle).toMatchObject({
    active: true,
    metadata: {
      source: 'git',
      source_repo: git.url,
      source_branch: 'main',
      source_commit: sha,
      source_author: 'Ada Lovelace',
      source_subject: 'First',
    },
  });
  expect((await deploy()).output.join('\n')).toContain('live already');
  expect(await bundles()).toHaveLength(1);
  expect(await deploy({ force: true })).toMatchObject({ code: 0 });
  expect(await bundles()).toHaveLength(2);
  expect((await owner.call('GET', path())).body).toMatchObject({
    last_known_commit: sha,
    last_error: null,
  });
  // A client of the contract deploys without a bundle id.
  await git.push({ 'site/index.html': '<p>two' });
  const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} });
  expect(await finishedTask(owner, body.task_id)).toMatchObject({ code: 0 });
  expect(await page()).toContain('two');
});

test('codes 142 to 144: rejects a second connection, use without one, and uploads', async () => {
  await git.push({ 'index.html': 'x' });
  expect(await owner.call('PATCH', path(), { body: {} })).toMatchObject({
    status: 409,
    body: { code: 143 },
  });
  expect(await owner.call('POST', `${path()}/deploy`)).toMatchObject({ status: 409, body: { code: 143 } });
  await connect();
  expect(await connect()).toMatchObject({ status: 409, body: { code: 142 } });
  const raw = makeArchive({ 'index.html': 'uploaded' });
  const upload = () => owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
  expect(await upload()).toMatchObject({ status: 409, body: { code: 144 } });
  expect(await owner.call('DELETE', path())).toMatchObject({ status: 204 });
  expect(await owner.call('DELETE', path())).toMatchObject({ status: 404, body: { code: 17 } });
  expect(await owner.call('GET', path())).toMatchObject({ status: 404, body: { code: 4 } });
  expect(await upload()).toMatchObject({ status: 200 });
});

test('a push during a deploy is not lost, and the last commit goes live', async () => {
  await git.push({ 'index.html': '<p>one' });
  await connect();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const fetching = new Promise<void>((resolve) => {
    git.intercept = async ({ method }) => {
      // At this request, the first deploy has chosen its commit.
      if (method !== 'POST') return false;
      git.intercept = null;
      resolve();
      await held;
      return false;
    };
  });
  expect(await sendWebhook()).toBe(204);
  await fetching;
  await git.push({ 'index.html': '<p>two' });
  expect(await sendWebhook()).toBe(204);
  await git.push({ 'index.html': '<p>three' });
  expect(await sendWebhook()).toBe(204);
  release();
  await expect.poll(page).toContain('three');
});

test('another directory is deployed although a deploy of the same commit was under way', async () => {
  await git.push({ 'index.html': '<p>one', 'site/index.html': '<p>two' });
  await connect();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const fetching = new Promise<void>((resolve) => {
    git.intercept = async () => {
      git.intercept = null;
      resolve();
      await held;
      return false;
    };
  });
  const started = await owner.call('POST', `${path()}/deploy`, { body: {} });
  await fetching;
  await owner.call('PATCH', path(), { body: { directory: 'site', polling: true } });
  release();
  expect(await finishedTask(owner, started.body.task_id)).toMatchObject({ code: 0 });
  await expect.poll(page).toContain('two');
});

test('resumes a deploy interrupted before it had a bundle, if its user still exists', async () => {
  const { createRepositoryDeploy, resumeRepositoryDeploy } =
    await import('../../packages/server/src/git/deploy-commit.ts');
  const { services } = server.running;
  await git.push({ 'index.html': '<p>one' });
  await connect();
  const by = { ...owner, full_name: '', role: 'publisher', by: 'key', content_guid: null } as const;
  const { storage } = services;
  const made = await storage.write((tx) => createRepositoryDeploy(services, tx, by, guid));
  const row = storage.db.selectFrom('task').selectAll().where('id', '=', made.id);
  const task = await row.executeTakeFirstOrThrow();
  expect(await resumeRepositoryDeploy(services, { ...task, kind: 'render' } as never)).toBe(false);
  expect(await resumeRepositoryDeploy(services, { ...task, bundle_id: 1 } as never)).toBe(false);
  expect(await resumeRepositoryDeploy(services, { ...task, user_guid: crypto.randomUUID() } as never)).toBe(
    false,
  );
  expect(await resumeRepositoryDeploy(services, task as never)).toBe(true);
  expect(await finishedTask(owner, made.id)).toMatchObject({ code: 0 });
  expect(await page()).toContain('one');
});

test('resumes a deploy interrupted after it had stored its bundle, without a second one', async () => {
  const { createRepositoryDeploy, resumeRepositoryDeploy } =
    await import('../../packages/server/src/git/deploy-commit.ts');
  const { uploadBundle } = await import('../../packages/server/src/bundles/commands.ts');
  const { services } = server.running;
  const sha = await git.push({ 'index.html': '<p>one' });
  await connect();
  const by = { ...owner, full_name: '', role: 'publisher', by: 'key', content_guid: null } as const;
  const { storage } = services;
  const made = await storage.write((tx) => createRepositoryDeploy(services, tx, by, guid));
  const about = { branch: 'main', directory: '.', tree: null, author: '', subject: '', time: '' };
  const bundle = await uploadBundle(services, by, guid, {
    source: Readable.from([makeArchive({ 'index.html': '<p>one' })]),
    commit: { ...about, repository: git.url, sha },
    signal: AbortSignal.timeout(60_000),
  });
  const row = storage.db.selectFrom('task').selectAll().where('id', '=', made.id);
  expect(await resumeRepositoryDeploy(services, await row.executeTakeFirstOrThrow())).toBe(true);
  expect(await finishedTask(owner, made.id)).toMatchObject({ code: 0 });
  expect(await bundles()).toMatchObject([{ id: String(bundle.id), active: true }]);
});

test('commits that wait for approval count for the retention of bundles', async () => {
  await using small = await startTestServer({
    settings: {
      'Applications.GitEnabled': true,
      'Git.PrivateHosts': '127.0.0.1',
      'Applications.BundleRetention': 2,
    },
  });
  const person = await small.person('publisher');
  const { body: content } = await person.call('POST', '/v1/content', { body: { name: 'waiting' } });
  const at = `/v1/content/${content.guid}`;
  await git.push({ 'index.html': '<p>0' });
  await person.call('PUT', `${at}/repository`, { body: { repository: git.url } });
  await person.call('PUT', `${at}/approval-rule`, { body: { approvals: 1 } });
  for (const text of ['<p>1', '<p>2', '<p>3']) {
    await git.push({ 'index.html': text });
    const { body } = await person.call('POST', `${at}/repository/deploy`, { body: {} });
    expect(await finishedTask(person, body.task_id)).toMatchObject({ code: 22 });
  }
  const left = (await person.call('GET', `${at}/bundles`)).body;
  expect(left).toHaveLength(2);
  const [waiting] = (await person.call('GET', `${at}/releases`)).body;
  expect(left.map(({ id }: { id: string }) => id)).toContain(waiting.bundle_id);
});

test('of two polling servers one deploys, and each commit is polled once', async () => {
  const { createPolling } = await import('../../packages/server/src/git/poll.ts');
  const { services } = server.running;
  await git.push({ 'index.html': '<p>one' });
  await connect({ polling: true });
  await using one = createPolling(services);
  await using two = createPolling(services);
  await Promise.all([one.pollDue(), two.pollDue(), one.pollDue()]);
  await deploys(1);
  await Promise.all([one.pollDue(), two.pollDue()]);
  expect((await owner.call('GET', `/v1/content/${guid}/deploys`)).body).toHaveLength(1);
  expect(await bundles()).toHaveLength(1);
  expect(await page()).toContain('one');
});

test('a commit that leaves the directory as it is starts no deploy, and undoes no rollback', async () => {
  const { createPolling } = await import('../../packages/server/src/git/poll.ts');
  await using polling = createPolling(server.running.services);
  const looked = async (started: number) => {
    expect(await sendWebhook()).toBe(204);
    // The push itself may have looked.
    await polling.pollDue();
    await expect.poll(async () => (await owner.call('GET', path())).body.last_known_commit).toBe(sha);
    await deploys(started);
    expect((await owner.call('GET', `/v1/content/${guid}/deploys`)).body).toHaveLength(started);
  };
  let sha = await git.push({ 'site/index.html': '<p>one', 'other/index.html': 'a' });
  await connect({ directory: 'site' });
  await looked(1);
  // Without the files, which only a deploy fetches.
  const large = randomBytes(2 * GIT_SETTINGS['Git.MaxRepositorySize']).toString('hex');
  sha = await git.push({ 'other/index.html': large });
  await looked(1);
  expect((await owner.call('GET', path())).body).toMatchObject({ last_error: null });
  await git.push({ 'other/index.html': 'c' });
  sha = await git.push({ 'site/index.html': '<p>two' });
  await looked(2);
  expect(await page()).toContain('two');
  const [first] = await bundles();
  const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: first.id } });
  await finishedTask(owner, body.task_id);
  sha = await git.push({ 'other/index.html': 'd' });
  await looked(3);
  expect(await page()).toContain('one');
  // A person deploys it all the same, with its commit.
  expect(await deploy()).toMatchObject({ code: 0 });
  expect((await bundles()).at(-1)).toMatchObject({ active: true, metadata: { source_commit: sha } });
  // Removed, it is no longer the same.
  sha = await git.push({ 'site/index.html': null, 'site/none.txt': null });
  expect(await sendWebhook()).toBe(204);
  await expect
    .poll(async () => (await owner.call('GET', path())).body.last_error)
    .toMatch(/^no such directory/);
});

test('files whose deploy failed are tried again with the next commit; what waits for approval is left alone', async () => {
  await git.push({ 'site/app.py': 'x', 'other/a': '1' });
  await connect({ directory: 'site' });
  expect((await deploy()).code).not.toBe(0);
  await git.push({ 'other/a': '2' });
  expect(await sendWebhook()).toBe(204);
  await endedTasks(2);
  await git.push({ 'site/app.py': null, 'site/index.html': '<p>one' });
  expect(await deploy()).toMatchObject({ code: 0 });
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  await git.push({ 'site/index.html': '<p>two' });
  expect(await deploy()).toMatchObject({ code: 22 });
  const waiting = (await bundles()).length;
  const sha = await git.push({ 'other/a': '3' });
  expect(await sendWebhook()).toBe(204);
  await expect.poll(async () => (await owner.call('GET', path())).body.last_known_commit).toBe(sha);
  expect(await bundles()).toHaveLength(waiting);
});

/** The codes of the ended tasks of the content, as soon as there are so many. */
async function endedTasks(count: number): Promise<(number | null)[]> {
  const { db } = server.running.services.storage;
  const ended = () =>
    db
      .selectFrom('task')
      .select('code')
      .where('content_guid', '=', guid)
      .where('finished', '=', 1)
      .orderBy('created_time')
      .execute();
  await expect.poll(ended).toHaveLength(count);
  return (await ended()).map(({ code }) => code);
}

test('a repository that did not respond once does not undo a rollback', async () => {
  await git.push({ 'index.html': '<p>one' });
  await connect();
  await deploy();
  const [first] = await bundles();
  await git.push({ 'index.html': '<p>two' });
  await deploy();
  const back = { bundle_id: first.id };
  const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: back });
  await finishedTask(owner, body.task_id);
  let asked = 0;
  git.intercept = (_request, response) => {
    asked += 1;
    if (asked > 1) return false;
    response.writeHead(503).end();
    return true;
  };
  expect(await sendWebhook()).toBe(204);
  expect(await endedTasks(4)).toEqual([0, 0, 0, 0]);
  expect(await page()).toContain('one');
});

test('a branch that is back has no error any more, and its next absence is reported, too', async () => {
  await git.push({ 'index.html': '<p>one' });
  await connect();
  await deploy();
  const lastError = async () => (await owner.call('GET', path())).body.last_error;
  await git.git('--git-dir=../reports.git', 'config', 'receive.denyDeleteCurrent', 'ignore');
  for (const failed of [2, 3]) {
    await git.git('push', '-q', '../reports.git', 'HEAD:refs/heads/other', ':refs/heads/main');
    expect(await sendWebhook()).toBe(204);
    expect((await endedTasks(failed)).at(-1)).not.toBe(0);
    await expect.poll(lastError).toMatch(/^no such branch/);
    await git.git('push', '-q', '../reports.git', 'HEAD:refs/heads/main');
    expect(await sendWebhook()).toBe(204);
    await expect.poll(lastError).toBeNull();
  }
  expect(await bundles()).toHaveLength(1);
});

test('commits deploy as the user who connected the repository, and fail without that account', async () => {
  const { createPolling } = await import('../../packages/server/src/git/poll.ts');
  const { services } = server.running;
  const admin = await server.administrator();
  const colleague = await server.person('publisher');
  await git.push({ 'index.html': '<p>one' });
  await grant(owner, guid, colleague, 'owner');
  const connected = await colleague.call('PUT', path(), { body: { repository: git.url } });
  expect(connected.status, JSON.stringify(connected.body)).toBe(200);
  steps.secret = connected.body.webhook_secret;
  await admin.call('POST', `/v1/users/${colleague.guid}/lock`, { body: { locked: true } });
  expect(await sendWebhook()).toBe(204);
  await using polling = createPolling(services);
  await polling.pollDue();
  await expect
    .poll(async () => (await owner.call('GET', path())).body.last_error)
    .toMatch(/no longer has an account/);
  expect(await bundles()).toEqual([]);
});
