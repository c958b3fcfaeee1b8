// Covers the canary of an API on the bundles page, without JavaScript: its numbers, and both outcomes.
import { finishedTask, makeArchive, publish } from '@pressroom/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type World, follow, makeWorld, openSection } from './world.ts';

let world: World;
let tab: Page;
let guid: string;
const API = { appmode: 'python-api', entrypoint: 'app:app' };
const app = (text: string) => ({
  'app.py': `def app(environ, start):\n    start("200 OK", [("Content-Type", "text/plain")])\n    return [b"${text}"]\n`,
});
beforeAll(async () => {
  world = await makeWorld();
  tab = await world.enter(world.publisher, { javaScriptEnabled: false });
  ({ guid } = await publish(world.publisher, app('old'), { metadata: API }));
});
afterAll(() => world[Symbol.asyncDispose]());

async function begin(text: string): Promise<string> {
  const { publisher } = world;
  const raw = makeArchive(app(text), { ...API });
  const { id } = (await publisher.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  const body = { bundle_id: id, canary: { share: 50 } };
  const { task_id } = (await publisher.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  await finishedTask(publisher, task_id);
  return id;
}
const visit = async () => {
  const { bytes } = await world.publisher.call('GET', `//content/${guid}/`);
  return bytes.toString();
};
const go = () => tab.goto(`${world.root}/content/${guid}/bundles`);
const press = (name: string | RegExp) =>
  follow(tab.getByRole('main').getByRole('button', { name, exact: true }));
const paragraph = () => tab.getByText(/The canary of bundle/).innerText();

test('shows the requests of both bundles; Go back keeps the live bundle and records why', async () => {
  const id = await begin('new');
  const before = (await world.publisher.call('GET', `/v1/content/${guid}/canary`)).body.live_bundle_id;
  const seen = [await visit(), await visit(), await visit()];
  const news = seen.filter((text) => text === 'new').length;
  const firsts = async () => {
    await go();
    const rows = tab.getByRole('table', { name: 'Canary' }).locator('tbody tr');
    return rows.evaluateAll((all) => all.map((row) => row.children[1]!.textContent.trim()));
  };
  await expect.poll(firsts).toEqual([String(news), String(3 - news)]);
  expect(await paragraph()).toMatch(new RegExp(`bundle ${id} is running\\. It takes 50 % of new sessions`));
  // Until it has ended, its draft and its bundle stay: no button is shown that would be refused.
  const bundle = tab.getByRole('table', { name: 'Bundles' }).getByRole('row', { name: new RegExp(`^${id}`) });
  expect(await bundle.innerText()).toContain('canary');
  for (const name of [`Delete bundle ${id}`, `Discard bundle ${id}`, `Canary… of bundle ${id}`])
    expect(await tab.getByText(name).count(), name).toBe(0);
  const xsrf = await tab.locator('input[name="xsrf"]').first().inputValue();
  const path = `${world.root}/content/${guid}/bundles/${id}/delete`;
  const deleted = await tab.request.post(path, { form: { xsrf } });
  expect(await deleted.text()).toContain('takes visitors as a canary. Wait until that has ended, or end it');
  await tab.getByLabel('Reason').fill('The <colours> are wrong');
  await press('Roll back');
  expect(await tab.getByRole('status').first().innerText()).toBe(
    `Bundle ${id} was rolled back. New sessions get bundle ${before}.`,
  );
  expect(await paragraph()).toContain(
    `rolled back: ${world.publisher.username} rolled back: The <colours> are wrong`,
  );
  expect(await tab.getByRole('button', { name: 'Promote' }).count()).toBe(0);
  expect([await visit(), await visit(), await visit()]).toEqual(['old', 'old', 'old']);
});

test('each bundle has a page with the history of its release', async () => {
  await go();
  const id = (await world.publisher.call('GET', `/v1/content/${guid}/canary`)).body.bundle_id;
  await follow(tab.getByRole('table', { name: 'Bundles' }).getByRole('link', { name: id, exact: true }));
  expect(await tab.getByText('It is not live').innerText()).toMatch(
    /not live: it was rolled back\. Bundle \d+ is live/,
  );
  // Use of APIs is not counted.
  expect(await tab.getByText(/used it in the last/).count()).toBe(0);
  const steps = await tab
    .getByRole('table', { name: 'Steps' })
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.children].slice(1).map((cell) => cell.textContent.trim())),
    );
  const { username } = world.publisher;
  expect(steps.map(([what, by]) => [what, by])).toEqual([
    ['Uploaded', username],
    ['Deploy started', username],
    ['Draft ready', username],
    ['Canary began', username],
    ['Rolled back', username],
  ]);
  expect(steps.at(-1)![2]).toContain('The <colours> are wrong');
  expect(await tab.getByRole('table', { name: 'Canary' }).count()).toBe(1);
});

test('a page that shows an earlier canary decides nothing about a later one', async () => {
  const seen = await begin('seen');
  await go();
  const other = await tab.context().newPage();
  await other.goto(tab.url());
  await world.publisher.call('POST', `/v1/content/${guid}/canary/back`, { body: {} });
  const id = await begin('next');
  for (const [page, name] of [
    [tab, 'Promote'],
    [other, 'Roll back'],
  ] as const) {
    await follow(page.getByRole('button', { name, exact: true }));
    expect(await page.getByRole('alert').innerText()).toMatch(
      new RegExp(`^.he canary of bundle ${seen} has ended: .* rolled back`),
    );
    expect((await world.publisher.call('GET', `/v1/content/${guid}/canary`)).body).toMatchObject({
      bundle_id: id,
      state: 'running',
    });
  }
});

test('the reasons to roll back and to override approvals have fields of their own, one for each bundle', async () => {
  const { publisher } = world;
  await publisher.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  // The canary waits too.
  const canary = (await publisher.call('GET', `/v1/content/${guid}/canary`)).body.bundle_id;
  await publisher.call('POST', `/v1/content/${guid}/canary/finish`);
  const raw = makeArchive(app('waiting'), { ...API });
  const { id } = (await publisher.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  await publisher.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: id } });
  await go();
  const long = 'a'.repeat(501);
  const waiting = tab.getByRole('table', { name: 'Waiting for approval' });
  const row = (name: string) =>
    waiting.getByRole('row').filter({ has: tab.getByRole('link', { name, exact: true }) });
  expect(await waiting.getByLabel('Reason').count()).toBe(2);
  await row(id).getByLabel('Reason').fill(long);
  await press(`Override bundle ${id}`);
  expect(await row(id).getByLabel('Reason').inputValue()).toBe(long);
  expect(await row(canary).getByLabel('Reason').inputValue()).toBe('');
  expect(await tab.locator('.decide').getByLabel('Reason').inputValue()).toBe('');
  await publisher.call('DELETE', `/v1/content/${guid}/approval-rule`);
});

test('Promote makes the canary live', async () => {
  await go();
  await press('Promote');
  await expect
    .poll(async () => (await world.publisher.call('GET', `/v1/content/${guid}/canary`)).body.state)
    .toBe('live');
  expect([await visit(), await visit()]).toEqual(['next', 'next']);
});

test('a bundle begins as a canary with a share of its own, or goes live whatever the rule says', async () => {
  const { publisher, root } = world;
  const read = async (what: string) => (await publisher.call('GET', `/v1/content/${guid}/${what}`)).body;
  const upload = async (text: string) => {
    const raw = makeArchive(app(text), { ...API });
    return (await publisher.call('POST', `/v1/content/${guid}/bundles`, { raw })).body.id as string;
  };
  const ended = async () => {
    await tab.waitForURL(/\/tasks\//);
    await finishedTask(publisher, tab.url().split('/').at(-1)!);
  };
  const third = await upload('third');
  await go();
  await follow(tab.getByRole('link', { name: `Canary… of bundle ${third}` }));
  const share = tab.getByLabel('Share of new sessions (%)');
  for (const [value, minutes, why] of [
    ['51', '30', 'Share of new sessions (%) must be a whole number from 0 to 50, not 51'],
    ['7', '0', 'Length (minutes) must be a whole number from 1 to 10080'],
  ] as const) {
    await share.fill(value);
    await tab.getByLabel('Length (minutes)').fill(minutes);
    await press('Start canary');
    expect(await tab.getByRole('alert').innerText()).toBe(why);
    expect(await share.inputValue()).toBe(value);
  }
  await tab.getByLabel('Length (minutes)').fill('2');
  await press('Start canary');
  await ended();
  expect(await read('canary')).toMatchObject({ bundle_id: third, share: 7, length: 120, state: 'running' });

  await publisher.call('PUT', `/v1/content/${guid}/canary-rule`, { body: { share: 20, length: 90 } });
  const past = (await read('')).bundle_id;
  const fourth = await upload('fourth');
  await tab.goto(`${root}/content/${guid}/bundles/${fourth}`);
  expect(await share.inputValue()).toBe('20');
  // It would begin a canary.
  expect(await tab.getByRole('button', { name: 'Make live', exact: true }).count()).toBe(0);
  await press('Make live without a canary');
  await ended();
  expect(await read('')).toMatchObject({ bundle_id: fourth });
  expect(await visit()).toBe('fourth');
  await tab.goto(`${root}/content/${guid}/bundles/${fourth}`);
  expect(await tab.getByRole('button', { name: 'Start canary' }).count()).toBe(0);
  // Neither does a table promise what does not happen.
  await go();
  const bundles = tab.getByRole('table', { name: 'Bundles' });
  const row = (id: string) =>
    bundles.getByRole('row').filter({ has: tab.getByRole('link', { name: id, exact: true }) });
  expect(await row(third).getByRole('button', { name: 'Start canary (20 %)' }).count()).toBe(1);
  // It goes live at once.
  expect(await row(past).getByRole('button', { name: 'Activate' }).count()).toBe(1);
  const sixth = await upload('sixth');
  const draft = { bundle_id: sixth, activate: false };
  const { task_id } = (await publisher.call('POST', `/v1/content/${guid}/deploy`, { body: draft })).body;
  await finishedTask(publisher, task_id);
  await go();
  expect(await row(sixth).getByRole('button', { name: 'Activate' }).count()).toBe(0);
  const drafts = tab.getByRole('table', { name: 'Drafts' });
  expect(await drafts.getByRole('button', { name: 'Make live' }).count()).toBe(0);
  await follow(drafts.getByRole('button', { name: `Start canary (20 %) of bundle ${sixth}` }));
  await ended();
  expect(await read('canary')).toMatchObject({ bundle_id: sixth, share: 20, length: 90 });
  await go();
  expect(await drafts.getByRole('button', { name: 'Make live' }).count()).toBe(1);

  const fifth = await upload('fifth');
  await tab.goto(`${root}/content/${guid}/bundles/${fifth}`);
  await share.fill('30');
  await press('Start canary');
  await ended();
  // The length of the rule is no whole number of minutes.
  expect(await read('canary')).toMatchObject({ bundle_id: fifth, share: 30, length: 90 });
  await publisher.call('DELETE', `/v1/content/${guid}/canary-rule`);
});

test('a rule that somebody changed meanwhile is not replaced unseen', async () => {
  const { publisher, root } = world;
  const rule = `/v1/content/${guid}/canary-rule`;
  const alert = () => tab.getByRole('alert').innerText();
  await publisher.call('PUT', rule, { body: { share: 10, length: 600 } });
  await tab.goto(`${root}/content/${guid}/settings`);
  await openSection(tab, 'Canary');
  await tab.getByLabel('Path that must answer').fill('/health');
  await publisher.call('PUT', rule, { body: { share: 1, waits: true } });
  await press('Save canary');
  expect(await alert()).toContain(
    'Now: 1 % of new sessions for 10 minutes, it waits until somebody promotes it. Nothing was saved',
  );
  expect((await publisher.call('GET', rule)).body).toMatchObject({ share: 1, health_path: null });
  expect(await tab.getByLabel('Path that must answer').inputValue()).toBe('/health');
  await publisher.call('DELETE', rule);
  await press('Save canary');
  expect(await alert()).toContain('Now: new bundles go live at once.');
  await press('Save canary');
  expect((await publisher.call('GET', rule)).body).toMatchObject({ share: 10, health_path: '/health' });
  await publisher.call('DELETE', rule);

  const approvals = `/v1/content/${guid}/approval-rule`;
  await tab.goto(`${root}/content/${guid}/settings`);
  await openSection(tab, 'Approvals');
  await tab.getByLabel('Approvals required').fill('1');
  await publisher.call('PUT', approvals, { body: { approvals: 3 } });
  await press('Require approvals');
  expect(await alert()).toContain('Now: approvals required: 3.');
  expect((await publisher.call('GET', approvals)).body.approvals).toBe(3);
  await tab.getByLabel('Approvals required').fill('2');
  await press('Require approvals');
  expect((await publisher.call('GET', approvals)).body.approvals).toBe(2);
  await publisher.call('DELETE', approvals);
});

test('the settings of an application say how canaries begin, and those of a document which renderings are held', async () => {
  const { publisher, root } = world;
  const note = () => tab.getByRole('status').first().innerText();
  const ruleOf = (item: string) => publisher.call('GET', `/v1/content/${item}/canary-rule`);
  await tab.goto(`${root}/content/${guid}/settings`);
  await openSection(tab, 'Canary');
  const share = tab.getByLabel('Share of new sessions (%)');
  for (const [value, minutes, why] of [
    ['60', '30', 'Share of new sessions (%) must be a whole number from 1 to 50, not 60'],
    ['20', '0', 'Length (minutes) must be a whole number from 1 to 10080'],
  ] as const) {
    await share.fill(value);
    await tab.getByLabel('Length (minutes)').fill(minutes);
    await tab.getByLabel('Wait until somebody promotes it').check();
    await press('Save canary');
    expect(await tab.getByRole('alert').innerText()).toBe(why);
    expect(await share.inputValue()).toBe(value);
    expect(await tab.getByLabel('Wait until somebody promotes it').isChecked()).toBe(true);
  }
  await tab.getByLabel('Length (minutes)').fill('45');
  await tab.getByLabel('Path that must answer').fill('/health');
  await press('Save canary');
  expect(await note()).toBe('New bundles begin as canaries.');
  const rule = { share: 20, length: 2700, health_path: '/health', waits: true };
  expect((await ruleOf(guid)).body).toMatchObject(rule);
  await share.fill('');
  await press('Save canary');
  expect(await note()).toBe('New bundles go live at once.');
  expect((await ruleOf(guid)).status).toBe(404);

  const files = { 'index.Rmd': '---\ntitle: R\noutput: html_document\n---\nText\n' };
  const metadata = { appmode: 'rmd-static', primary_rmd: 'index.Rmd' };
  const report = await publish(publisher, files, { metadata });
  await tab.goto(`${root}/content/${report.guid}/settings`);
  await openSection(tab, 'Review of renderings');
  const shrinks = tab.getByLabel('Hold renderings that shrink by (%)');
  await shrinks.fill('100');
  await press('Save review');
  expect(await tab.getByRole('alert').innerText()).toMatch(/^Hold renderings that shrink by \(%\) must be/);
  await shrinks.fill('30');
  await press('Save review');
  expect(await note()).toBe('Renderings that shrink are held for review.');
  expect((await ruleOf(report.guid)).body.shrink_limit).toBe(30);
  expect(await shrinks.inputValue()).toBe('30');
  await shrinks.fill('');
  await press('Save review');
  expect(await note()).toBe('All renderings are shown.');
  expect((await ruleOf(report.guid)).status).toBe(404);
});
