// Covers canaries from the command line, with a real server: start, follow, promote, roll back, and the rule.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import {
  finishedTask,
  makeQuickRenderer,
  openBrowser,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;
let home: string;
let dir: string;
beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(await startTestServer({ settings }));
  owner = await server.person('publisher');
  home = await mkdtemp(join(tmpdir(), 'pressroom-canary-'));
  dir = join(home, 'api');
  await mkdir(dir);
});
afterAll(async () => {
  await stack.disposeAsync();
  await rm(home, { recursive: true });
});

async function pressroom(...args: string[]) {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CONNECT_SERVER: server.url,
    CONNECT_API_KEY: owner.key,
  };
  const { code, stdout: out, stderr: said } = await runHere(args, { env, cwd: home });
  return { code, out: out.trim(), said };
}
const write = (text: string) =>
  writeFile(
    join(dir, 'app.py'),
    `def app(environ, start):\n    start("200 OK", [("Content-Type", "text/plain")])\n    return [b"${text}"]\n`,
  );
const deploy = (...more: string[]) =>
  pressroom(
    'deploy',
    dir,
    '--type',
    'python-api',
    '--entrypoint',
    'app:app',
    '--write-requirements',
    ...more,
  );
const recorded = async () => (await readRecords(dir))[0]!;
const shown = async () => JSON.parse((await pressroom('canary', 'show', dir, '--json')).out);

test('deploy --canary keeps the live bundle; canary shows, stops and promotes it', async () => {
  await write('one');
  expect(await deploy()).toMatchObject({ code: 0 });
  const { bundle_id: live, guid } = await recorded();
  expect((await pressroom('canary', 'show', dir)).said).toMatch(
    /this content has no canary\nA canary begins with: pressroom deploy/,
  );
  await write('two');
  const begun = await deploy('--canary', '50%', '--canary-for', '2h');
  expect(begun).toMatchObject({
    code: 0,
    said: expect.stringContaining('takes 50 % of new sessions for 2h'),
  });
  expect(begun.said).toContain(`pressroom canary show ${guid}`);
  expect((await recorded()).bundle_id).toBe(live);
  expect(await shown()).toMatchObject({ state: 'running', live_bundle_id: live, share: 50, length: 7200 });
  await owner.call('GET', `//content/${guid}/`);
  await expect
    .poll(async () => {
      const { live: old, canary } = await shown();
      return old.requests + canary.requests;
    })
    .toBe(1);
  expect((await pressroom('canary', 'show', dir)).out).toMatch(
    /State +running[^]*Requests +[01] +[01]\nFailed/,
  );
  for (const action of ['stop', 'promote'])
    expect(await pressroom('canary', action, dir, '--bundle', live!)).toMatchObject({
      code: 2,
      said: expect.stringContaining(`Bundle ${live} is not the canary of this content.`),
    });
  expect(await shown()).toMatchObject({ state: 'running' });
  const back = await pressroom('canary', 'stop', dir, '--reason', 'odd');
  expect(back).toMatchObject({ code: 0, said: expect.stringContaining(`New sessions get bundle ${live}`) });
  expect(await shown()).toMatchObject({ state: 'back', reason: `${owner.username} rolled back: odd` });
  const { bundle_id: gone } = await shown();
  expect((await pressroom('release', dir)).out).toMatch(
    new RegExp(
      `^Bundle +${gone}: rolled back\\nLive +bundle ${live}\\n[^]*Requests +[01] +[01]\\n[^]*rolled back +${owner.username} +.*odd$`,
    ),
  );
  expect(JSON.parse((await pressroom('release', dir, '--bundle', live!, '--json')).out)).toMatchObject({
    bundle_id: live,
    state: 'live',
    steps: [{ what: 'uploaded' }, { what: 'started' }, { what: 'live' }],
  });

  await write('three');
  await deploy('--canary', '10');
  const { bundle_id } = await shown();
  expect(await pressroom('canary', 'promote', dir, '--bundle', bundle_id)).toMatchObject({ code: 0 });
  expect((await recorded()).bundle_id).toBe(bundle_id);
  expect((await owner.call('GET', `//content/${guid}/`)).bytes.toString()).toBe('three');
});

test('canary rule starts plain deploys as canaries, unless --canary 0% or --off', async () => {
  const { bundle_id: before } = await recorded();
  const set = await pressroom(
    'canary',
    'rule',
    dir,
    '--share',
    '20%',
    '--for',
    '30m',
    '--health',
    '/',
    '--wait',
  );
  expect(set).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Share +20 %[^]*30m[^]*waits for a person/),
  });
  await write('four');
  const begun = await deploy();
  expect(begun.said).toContain('takes 20 % of new sessions for 30m, then waits for you');
  expect((await recorded()).bundle_id).toBe(before);
  await write('a draft');
  expect((await deploy('--draft')).code).toBe(0);
  const [draft] = (await owner.call('GET', `/v1/content/${(await recorded()).guid}/drafts`)).body;
  const activated = await pressroom('activate', draft.bundle_id, '--content', dir);
  expect(activated).toMatchObject({ code: 0, said: expect.stringContaining('takes 20 % of new sessions') });
  expect(activated.said).not.toContain('is live');
  // For programs, the last line.
  await write('another draft');
  const [, other = ''] = /pressroom activate (\d+)/.exec((await deploy('--draft')).said) ?? [];
  const told = await pressroom('activate', other, '--content', dir, '--json');
  const events = told.out.split('\n').map((line) => JSON.parse(line));
  expect(events.slice(-2)).toMatchObject([
    { type: 'finished', code: 0 },
    { type: 'canary', bundle_id: other, live_bundle_id: before, share: 20, state: 'running' },
  ]);
  expect((await recorded()).bundle_id).toBe(before);
  await write('five');
  expect((await deploy('--canary', '0%')).said).toContain('Published.');
  expect((await recorded()).bundle_id).not.toBe(before);
  expect(await shown()).toMatchObject({ state: 'replaced' });
  expect(await pressroom('canary', 'rule', dir, '--off')).toMatchObject({ code: 0 });
  expect(await pressroom('canary', 'rule', dir)).toMatchObject({
    code: 0,
    said: 'New bundles go live at once.\n',
  });
  expect(await pressroom('canary', 'rule', dir, '--json')).toMatchObject({ code: 0, out: 'null' });
});

test('a draft of a document that shrank goes live with activate, which names it', async () => {
  const report = (times: number) => quickDocument(`print("Sales. " * ${times})`);
  const { guid } = await publish(owner, report(500), { metadata: QUICK_DOCUMENT });
  await pressroom('canary', 'rule', guid, '--shrink-limit', '50');
  const bundle_id = await upload(owner, guid, report(3), QUICK_DOCUMENT);
  const body = { bundle_id, activate: false };
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  expect(await pressroom('activate', bundle_id, '--content', guid)).toMatchObject({ code: 0 });
});

test('render and the dashboard list, show and discard a held rendering of a variant', async () => {
  const code = 'import os\nprint(f"Sales of {region}. " * int(os.environ.get("LINES_SHOWN", "500")))';
  const { guid } = await publish(owner, quickDocument(code, { region: 'North' }), {
    metadata: QUICK_DOCUMENT,
  });
  const lines = (value: string) =>
    owner.call('PATCH', `/v1/content/${guid}/environment`, { body: [{ name: 'LINES_SHOWN', value }] });
  const variants = async () => JSON.parse((await pressroom('render', guid, '--list', '--json')).out);
  const sales = async () =>
    (await owner.call('GET', `//content/${guid}/_variant/${(await variants())[1].key}/`)).bytes
      .toString()
      .split('Sales of South').length - 1;
  expect(await pressroom('render', guid, 'region=South', '--variant', 'South')).toMatchObject({ code: 0 });
  expect(await pressroom('canary', 'rule', guid, '--shrink-limit', '50')).toMatchObject({
    code: 0,
    out: 'Shrink limit  50 % of a rendering',
  });
  expect(await pressroom('render', guid, '--variant', 'South', '--accept')).toMatchObject({
    code: 2,
    said: expect.stringContaining('No rendering of variant South is held'),
  });

  await lines('3');
  const render = () => pressroom('render', guid, '--variant', 'South');
  expect(await render()).toMatchObject({ code: 1, said: expect.stringContaining('it is held for review') });
  const [, { held, key }] = await variants();
  expect((await pressroom('render', guid, '--list')).out).toContain(
    `held by task ${held.task_id}: ${held.url}`,
  );
  const decide = (decision: string, task: string) =>
    pressroom('render', guid, '--variant', 'South', decision, '--task', task);
  for (const decision of ['--accept', '--discard'])
    expect(await decide(decision, 'another')).toMatchObject({
      code: 3,
      said: expect.stringContaining('another rendering of this variant is held'),
    });
  expect((await variants())[1].held).toEqual(held);
  expect(await decide('--discard', held.task_id)).toMatchObject({ code: 0 });
  expect([(await variants())[1].held, await sales()]).toEqual([null, 500]);

  await render();
  const browser = await openBrowser();
  try {
    const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage();
    await page.goto((await server.running.signInLink(owner.username))!);
    const button = page.getByRole('button', { name: /sign in/i });
    if (await button.count()) await button.first().click();
    await page.goto(`${server.url}/__dashboard__/content/${guid}/variants/${key}`);
    await page.getByText(/is held for review: it has \d+ % less text than what is live/).waitFor();
    if (process.env['HELD_PICTURE'])
      await page.screenshot({ path: process.env['HELD_PICTURE'], fullPage: true });
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('The rendering is shown.').waitFor();
    expect(await page.getByRole('button', { name: 'Show it' }).count()).toBe(0);
  } finally {
    await browser.close();
  }
  expect([(await variants())[1].held, await sales()]).toEqual([null, 3]);
});

test.each([
  [['render', 'x', '--accept'], '--accept and --discard take --variant NAME'],
  [['render', 'x', '--accept', '--discard', '--variant', 'South'], '--accept and --discard take'],
  [['render', 'x', 'a=1', '--accept', '--variant', 'South'], '--accept and --discard take'],
  [['render', 'x', '--variant', 'South', '--task', 'a'], '--task requires --accept or --discard'],
  [['deploy', '.', '--canary', '51%'], '--canary must be from 0% to 50%'],
  [['deploy', '.', '--canary', 'some'], '--canary must be'],
  [['deploy', '.', '--canary-for', '1h'], '--canary-for requires --canary'],
  [['deploy', '.', '--canary', '5', '--canary-for', '59s'], '--canary-for must be'],
  [['deploy', '.', '--canary', '5', '--draft'], 'either --canary or a draft'],
  [['canary', 'begin'], 'Unknown action'],
  [['canary', 'show', '--share', '5'], 'does not belong to canary show'],
  [['canary', 'rule', '--wait', '--no-wait'], 'cannot be used together'],
  [['canary', 'rule', '--off', '--share', '5'], 'cannot be used with other settings'],
])('rejects %j before sending anything', async (args, message) => {
  expect(await pressroom(...args)).toMatchObject({ code: 2, said: expect.stringContaining(message) });
});
