// A release from branch to live, and one that is rolled back automatically: in the channel, the browser and the command
// line.
import { join } from 'node:path';
import { finishedTask, openBrowser, PYTHON_API, pythonApi, upload, type Person } from '@pressroom/testkit';
import { startDemo, type RunningDemo } from '@pressroom/testkit/slack';
import type { Browser } from 'playwright-core';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

const page = (
  title: string,
  rows: readonly (readonly [string, number])[],
) => `<!doctype html><meta charset="utf-8">
<title>${title}</title><style>body { font: 22px sans-serif; margin: 3rem } td { padding: 0.4rem 2rem 0.4rem 0 }
i { display: inline-block; height: 1.1rem; background: #1f6f78 }</style><h1>${title}</h1><table>
${rows.map(([name, n]) => `<tr><td>${name}<td><i style="width: ${n * 4}px"></i> ${n}`).join('\n')}</table>`;
const OLD = page('Summer prices', [
  ['Lemonade', 40],
  ['Iced tea', 55],
  ['Coffee', 90],
]);
const NEW = page('Summer prices, corrected', [
  ['Lemonade', 48],
  ['Iced tea', 55],
  ['Coffee', 90],
  ['Cold brew', 70],
]);

/** @param pictures output directory */
export async function takeReleases(pictures: string): Promise<void> {
  await using demo = await startDemo({ port: 0, settings: { 'Applications.Pictures': true } });
  await using browser = await openBrowser();
  const owner = await demo.server.person('publisher', {
    username: 'olga',
    first_name: 'Olga',
    last_name: 'Berg',
  });
  const colleague = await demo.server.person('publisher', {
    username: 'otto',
    first_name: 'Otto',
    last_name: 'Lind',
  });
  for (const person of [owner, colleague]) await link(demo, person);
  const takes = { demo, browser, owner, pictures };
  await takeWhole(takes, colleague);
  await takeBack(takes);
}

interface Takes {
  readonly demo: RunningDemo;
  readonly browser: Browser;
  readonly owner: Person;
  readonly pictures: string;
}

/** Preview of a branch, differences, approval, live. */
async function takeWhole(takes: Takes, colleague: Person): Promise<void> {
  const { demo, owner } = takes;
  const guid = await create(owner, 'summer-prices', 'Summer prices', { 'index.html': OLD }, {});
  const share = { principal_guid: colleague.guid, principal_type: 'user', role: 'owner' };
  await owner.call('POST', `/v1/content/${guid}/permissions`, { body: share });
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  await create(
    owner,
    'cafe-overview',
    'Overview of the cafés',
    { 'index.html': `<a href="/content/${guid}/">` },
    {},
  );
  for (const person of [owner, colleague]) await person.call('GET', `//content/${guid}/`);
  const channel = demo.slack.channel('summer-prices');
  await demo.slack.command(userOf(demo, 'olga'), channel, 'subscribe summer-prices');
  const id = await upload(owner, guid, { 'index.html': NEW }, {});
  await run(owner, guid, { bundle_id: id, activate: false, preview: 'feature-cold-brew' });
  await demo.bot.idle();
  await run(owner, guid, { bundle_id: id });
  await settled(demo);
  await colleague.call('POST', `/v1/content/${guid}/releases/${id}/approve`);
  await settled(demo);
  await run(owner, guid, { bundle_id: id });
  await settled(demo);
  await takeChannel(takes, channel, 'release-slack');
  await takeDashboard(takes, `/content/${guid}/bundles/${id}`, 'release-dashboard');
  await takeTerminal(takes, ['release', guid, '--bundle', id], 'release-terminal');
}

/** A canary that fails one request in ten. */
async function takeBack(takes: Takes): Promise<void> {
  const { demo, owner } = takes;
  const guid = await create(owner, 'prices-api', 'Prices API', pythonApi('answer'), PYTHON_API);
  const channel = demo.slack.channel('prices-api');
  await demo.slack.command(userOf(demo, 'olga'), channel, 'subscribe prices-api');
  const id = await upload(owner, guid, pythonApi('answer', 10), PYTHON_API);
  await run(owner, guid, { bundle_id: id, canary: { share: 20 } });
  const state = async () => (await owner.call('GET', `/v1/content/${guid}/canary`)).body.state as string;
  while ((await state()) === 'running')
    await Promise.all(Array.from({ length: 10 }, () => demo.server.anonymous('GET', `//content/${guid}/`)));
  await settled(demo);
  await takeChannel(takes, channel, 'canary-slack');
  await takeDashboard(takes, `/content/${guid}/bundles/${id}`, 'canary-dashboard');
  await takeTerminal(takes, ['release', guid, '--bundle', id], 'canary-terminal');
}

async function takeChannel({ demo, browser, pictures }: Takes, channel: string, name: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  const tab = await context.newPage();
  await tab.goto(`${demo.url}/?user=${userOf(demo, 'olga').id}&channel=${channel}`);
  await tab
    .getByText(/Bundle \d+ of/)
    .first()
    .waitFor();
  for (const summary of await tab.locator('details > summary').all()) await summary.click();
  // All messages, not only the visible part.
  const whole = 'body, main, aside { height: auto !important } #messages { overflow: visible !important }';
  await tab.addStyleTag({ content: whole });
  await tab.waitForLoadState('networkidle');
  await tab.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  await context.close();
}

async function takeDashboard(
  { demo, browser, owner, pictures }: Takes,
  path: string,
  name: string,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1080, height: 700 } });
  const tab = await context.newPage();
  const root = `${demo.server.url}/__dashboard__`;
  await tab.goto(root);
  await tab.getByLabel('Username').fill(owner.username);
  await tab.getByLabel('Password').fill('correct horse');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
  await tab.goto(root + path);
  await tab.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  await context.close();
}

/** Output of a command, as shown by a terminal. */
async function takeTerminal(
  { demo, browser, owner, pictures }: Takes,
  args: string[],
  name: string,
): Promise<void> {
  const env = {
    CONNECT_SERVER: demo.server.url,
    CONNECT_API_KEY: owner.key,
    HOME: pictures,
    PATH: process.env['PATH'],
  };
  const { stdout } = await runHere(args, { env, cwd: pictures });
  const context = await browser.newContext({ viewport: { width: 1180, height: 300 } });
  const tab = await context.newPage();
  await tab.setContent(`<style>body { margin: 0; background: #16181d; color: #e7ecef }
    pre { margin: 0; padding: 1.2rem; font: 14px/1.5 'DejaVu Sans Mono', monospace; white-space: pre-wrap }</style><pre>`);
  await tab
    .locator('pre')
    .evaluate((pre, text) => (pre.textContent = text), `$ pressroom ${args.join(' ')}\n${stdout}`);
  await tab.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  await context.close();
}

async function create(
  owner: Person,
  name: string,
  title: string,
  files: Record<string, string>,
  metadata: object,
): Promise<string> {
  const body = { name, title, access_type: 'all' };
  const { guid } = (await owner.call('POST', '/v1/content', { body })).body;
  await run(owner, guid, { bundle_id: await upload(owner, guid, files, metadata) });
  return guid;
}
async function run(owner: Person, guid: string, body: object): Promise<void> {
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  if (task_id) await finishedTask(owner, task_id);
}

const userOf = ({ slack }: RunningDemo, name: string) =>
  [...slack.space.users.values()].find((user) => user.name === name)!;

async function link({ bot, slack }: RunningDemo, { guid, username, key }: Person): Promise<void> {
  const { id } = slack.user(username, `${username}@example.com`);
  const { team } = slack.space;
  await bot.services.store.saveLink({
    team,
    slack_user: id,
    slack_name: username,
    server_user: guid,
    username,
    key,
  });
}

/** Waits until the bot has processed all events. */
async function settled({ server, bot }: RunningDemo): Promise<void> {
  const { db } = server.running.services.storage;
  const newest = await db.selectFrom('outgoing_head').select('seq').executeTakeFirst();
  for (;;) {
    const taken = await db
      .selectFrom('audit_cursor')
      .select('id')
      .where('sink', 'like', 'events %')
      .executeTakeFirst();
    if ((taken?.id ?? 0) >= (newest?.seq ?? 0)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await bot.idle();
}
