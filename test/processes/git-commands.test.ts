// Covers `pressroom git` and its counterpart in the dashboard with a real browser, with a real Git server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openBrowser,
  startGitServer,
  startTestServer,
  type GitServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeServer } from '../../packages/api/src/client/testing/fake-server.ts';
import { refuse } from '../../packages/api/src/client/testing/responses.ts';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';
import { openSection } from '../browser/dashboard/world.ts';

let server: TestServer;
let git: GitServer;
let owner: Person;
let home: string;
beforeAll(async () => {
  git = await startGitServer();
  server = await startTestServer({
    settings: { 'Applications.GitEnabled': true, 'Git.PrivateHosts': '127.0.0.1' },
  });
  owner = await server.person('publisher');
  home = await mkdtemp(join(tmpdir(), 'pressroom-git-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

const pressroom = (args: string[], env: Record<string, string> = {}) =>
  runHere(args, {
    cwd: home,
    env: { HOME: home, CONNECT_SERVER: server.url, CONNECT_API_KEY: owner.key, ...env },
  });
const newContent = async (name: string): Promise<string> =>
  (await owner.call('POST', '/v1/content', { body: { name } })).body.guid;

test('connects, deploys, shows and disconnects a repository; bundles name their commit', async () => {
  const guid = await newContent('by-command');
  const sha = await git.push({ 'index.html': '<p>one' }, { message: 'Sales of March' });
  const connected = await pressroom(['git', 'connect', guid, '--repository', git.url]);
  expect(connected).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Webhook: +http\S+\nSecret: +\S{40,} \(shown this once\)$/m),
  });
  const deployed = await pressroom(['git', 'deploy', guid]);
  expect(deployed.code, deployed.stderr).toBe(0);
  expect(deployed.stderr).toMatch(/^Bundle \d+ is live\.$/m);
  // The same commit again.
  const again = await pressroom(['git', 'deploy', guid]);
  expect(again.stderr).toContain('This commit is live already: nothing is deployed');
  expect(again.stderr).not.toContain('is live.');
  const listed = await pressroom(['bundles', guid]);
  expect(listed.stdout).toMatch(/^ +BUNDLE .* COMMIT$/m);
  expect(listed.stdout).toContain(`${sha.slice(0, 10)} Sales of March`);
  const token = 'Token-Of-The-Test';
  git.credentials = `git:${token}`;
  const changed = await pressroom(['git', 'connect', guid, '--polling'], { PRESSROOM_GIT_TOKEN: token });
  expect(changed.code, changed.stderr).toBe(0);
  await git.push({ 'index.html': '<p>two' });
  expect((await pressroom(['git', 'deploy', guid, '--force'])).code).toBe(0);
  const shown = await pressroom(['git', 'show', guid]);
  expect(shown.stdout).toMatch(/Polling +on\n[^]*Token +set\n[^]*Last error +none/);
  expect(JSON.stringify([changed, shown])).not.toContain(token);
  const address = 'ssh://git@git.example.com/acme/reports.git';
  expect(await pressroom(['git', 'connect', guid, '--repository', address])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Deploy key: ssh-\S+ \S+/m),
  });
  expect(await pressroom(['git', 'disconnect', guid])).toMatchObject({ code: 0 });
  const gone = await pressroom(['git', 'show', guid]);
  expect(gone).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`pressroom git connect ${guid} --repository URL\n`),
  });
  expect(gone.stderr).not.toContain('It was deleted');
  git.credentials = null;
});

test('connect --create makes the content, and leaves none that cannot be connected', async () => {
  await git.push({ 'sales/index.html': '<p>new' });
  const created = (...args: string[]) => pressroom(['git', 'connect', '--create', ...args]);
  const found = async (name: string) => (await owner.call('GET', `/v1/content?name=${name}`)).body.length;
  const connected = await created('from-git', '--repository', git.url, '--directory', 'sales', '--json');
  expect(connected).toMatchObject({ code: 0 });
  const { content_guid: guid, webhook_secret: secret } = JSON.parse(connected.stdout);
  expect(secret).toMatch(/^\S{40,}$/);
  expect(await pressroom(['git', 'deploy', guid])).toMatchObject({ code: 0 });
  expect(await created('refused', '--repository', 'ftp://x/y')).toMatchObject({ code: 3 });
  expect(await found('refused')).toBe(0);
  expect(await created('unnamed')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('requires --repository URL'),
  });
  expect(await pressroom(['git', 'connect', guid, '--create', 'x', '--repository', git.url])).toMatchObject({
    code: 2,
  });
  expect(await found('unnamed')).toBe(0);
});

test('connect --create says what is left when the new content cannot be removed either', async () => {
  await using fake = await startFakeServer({ apiKey: owner.key });
  fake.on('PUT', /\/repository$/, (_request, response) => refuse(response, 400, 25));
  fake.on('DELETE', /\/content\//, (_request, response) => refuse(response, 403, 22));
  const env = { CONNECT_SERVER: fake.url };
  const left = await pressroom(['git', 'connect', '--create', 'left', '--repository', git.url], env);
  const [guid] = [...fake.contents.keys()];
  expect(left).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      new RegExp(
        `^Not cleaned up: the new content left could not be removed: .*\nTo remove it, run: pressroom delete ${guid}\nError \\(code 25\\)`,
      ),
    ),
  });
});

test('the dashboard connects a repository and deploys its newest commit', async () => {
  const guid = await newContent('by-browser');
  const sha = await git.push({ 'index.html': '<p>three' }, { message: 'Sales of April' });
  const browser = await openBrowser();
  try {
    const browsing = await browser.newContext({ viewport: { width: 1200, height: 1400 } });
    const page = await browsing.newPage();
    await page.goto(await server.running.signInLink(owner.username).then((link) => link!));
    const button = page.getByRole('button', { name: /sign in/i });
    if (await button.count()) await button.first().click();
    await page.goto(`${server.url}/__dashboard__/content/${guid}/settings`);
    await openSection(page, 'Git repository');
    await page.getByLabel('Repository', { exact: true }).last().fill(git.url);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByLabel('Webhook secret').waitFor();
    await page.getByRole('link', { name: 'Back to the settings' }).click();
    await page.getByRole('button', { name: 'Deploy newest commit' }).click();
    await page.waitForURL(/\/tasks\//);
    await expect
      .poll(async () => (await owner.call('GET', `/v1/content/${guid}/bundles`)).body[0]?.active)
      .toBe(true);
    // A new page, since that of the task keeps reloading.
    const after = await browsing.newPage();
    await after.goto(`${server.url}/__dashboard__/content/${guid}/bundles`);
    expect(await after.getByRole('table', { name: 'Bundles' }).innerText()).toContain(
      `${sha.slice(0, 10)} Sales of April`,
    );
    await after.goto(`${server.url}/__dashboard__/content/${guid}/settings`);
    await openSection(after, 'Git repository');
    expect(await after.getByText(`Commit ${sha.slice(0, 10)}`).count()).toBe(1);
    // Somebody else changes the repository while the form is open.
    const repository = `/v1/content/${guid}/repository`;
    const meanwhile = { polling: true, directory: 'reports' };
    expect((await owner.call('PATCH', repository, { body: meanwhile })).status).toBe(200);
    await after.getByLabel('Branch').last().fill('dev');
    await after.getByRole('button', { name: 'Save repository' }).click();
    await after.getByText('Repository saved.').waitFor();
    expect((await owner.call('GET', repository)).body).toMatchObject({ ...meanwhile, branch: 'dev' });
    // A token only applies to the repository shown on the page.
    await owner.call('PATCH', repository, { body: { repository: 'https://elsewhere.example/x.git' } });
    await after.getByRole('textbox', { name: 'Token' }).fill('meant-for-the-first');
    await after.getByRole('button', { name: 'Save repository' }).click();
    // The page already says that it was saved, from before.
    await expect
      .poll(async () => (await owner.call('GET', repository)).body)
      .toMatchObject({ repository: git.url, has_token: true });
    if (process.env['GIT_PICTURE'])
      await after.screenshot({ path: process.env['GIT_PICTURE'], fullPage: true });
  } finally {
    await browser.close();
  }
});

test('an unreachable server is not mistaken for content without a repository', async () => {
  const guid = await newContent('unanswered');
  const env = { CONNECT_SERVER: 'http://127.0.0.1:1' };
  const { code, stderr } = await pressroom(['git', 'connect', guid, '--branch', 'dev'], env);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('refused') });
});

test.each([
  [['git', 'show', 'x', '--branch', 'dev'], '--branch does not belong to git show'],
  [['git', 'deploy', 'x', '--no-polling'], '--no-polling does not belong to git deploy'],
  [['git', 'connect', 'x', '--force'], '--force does not belong to git connect'],
])('refuses the option of another action: %j', async (args, message) => {
  expect(await pressroom(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
