// Covers the form for parameters of a report, without JavaScript, and renderings with other values by R.
import { publish } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, type World } from './world.ts';

const REPORT = `---
title: Sales
params:
  region:
    label: Region
    value: North
    choices: [North, South]
  year:
    label: Year
    input: slider
    value: 2024
    min: 2020
    max: 2026
    step: 1
  from:
    label: From
    input: date
    value: !r as.Date("2024-01-01")
  draft: false
  note: none
---

Of \`r params$region\` in \`r params$year + 1L\`, from \`r format(params$from, "%d.%m.%Y")\`, draft \`r !params$draft\`, \`r params$note\` \`r if (params$note == "stop") stop("no data")\`
`;

let world: World;
let guid: string;
beforeAll(async () => {
  world = await makeWorld();
  const report = await publish(
    world.publisher,
    { 'sales.Rmd': REPORT },
    {
      metadata: { appmode: 'rmd-static', primary_rmd: 'sales.Rmd', has_parameters: true },
      fields: { name: 'report' },
    },
  );
  ({ guid } = report);
});
afterAll(() => world[Symbol.asyncDispose]());

test('a collaborator renders a variant with other values and opens it', async () => {
  const tab = await world.enter(world.publisher, { javaScriptEnabled: false });
  await tab.goto(`${world.root}/content/${guid}/variants`);
  const main = tab.getByRole('main');
  expect(await tab.getByLabel('From').getAttribute('type')).toBe('date');
  expect(await main.innerText()).toContain('Leave empty for the default, as.Date("2024-01-01")');
  await tab.getByLabel('Region').selectOption('South');
  await tab.getByLabel('Year').fill('2021');
  await tab.getByLabel('From').fill('2025-03-09');
  await tab.getByLabel('draft').check();
  await tab.getByLabel('note').fill('`r 1 + 1` "); system("id") #');
  await tab.getByLabel('Save as variant').fill('South');
  if (process.env['PRESSROOM_TEST_SCREENSHOTS'])
    await tab.screenshot({ path: `${process.env['PRESSROOM_TEST_SCREENSHOTS']}/form.png`, fullPage: true });
  await main.getByRole('button', { name: 'Render', exact: true }).click();
  // Reloading before the form is submitted would discard it.
  await tab.waitForURL(/variants\/./);
  const open = main.getByRole('link', { name: 'Open the rendering' });
  await expect.poll(async () => (await tab.reload(), open.count()), { interval: 500 }).toBe(1);
  await open.click();
  await tab.getByText('Of South in 2022, from 09.03.2025, draft FALSE').waitFor();
  const text = await tab.locator('body').innerText();
  expect(text).toContain('system(');
  expect(text).not.toContain('uid=');
  if (process.env['PRESSROOM_TEST_SCREENSHOTS'])
    await tab.screenshot({ path: `${process.env['PRESSROOM_TEST_SCREENSHOTS']}/south.png`, fullPage: true });
  await tab.goto(`${world.server.url}/content/${guid}/`);
  expect(await tab.locator('body').innerText()).toContain(
    'Of North in 2025, from 01.01.2024, draft TRUE, none',
  );
  await tab.goto(`${world.server.url}/content/${guid}/__parameters__`);
  expect(tab.url()).toContain(`/content/${guid}/variants`);
  if (process.env['PRESSROOM_TEST_SCREENSHOTS'])
    await tab.screenshot({ path: `${process.env['PRESSROOM_TEST_SCREENSHOTS']}/list.png`, fullPage: true });
  await tab.context().close();
});

test('a variant whose first rendering failed has a form that no reload interrupts, and is deleted', async () => {
  const tab = await world.enter(world.publisher, { javaScriptEnabled: false });
  await tab.goto(`${world.root}/content/${guid}/variants`);
  await tab.getByLabel('note').fill('stop');
  await tab.getByLabel('Save as variant').fill('Fails');
  await tab.getByRole('main').getByRole('button', { name: 'Render', exact: true }).click();
  await tab.waitForURL(/variants\/./);
  const save = tab.getByRole('button', { name: 'Save and render' });
  const reloads = () => tab.locator('meta[http-equiv="refresh"]').count();
  if (await tab.getByText('Rendering…').isVisible()) {
    expect(await save.count()).toBe(0);
    expect(await reloads()).toBe(1);
  }
  await tab.getByText('The last rendering failed').waitFor();
  expect(await save.count()).toBe(1);
  expect(await reloads()).toBe(0);
  const remove = tab.getByRole('button', { name: 'Delete this variant' });
  await remove.click();
  // The browser asks for the box.
  await tab.getByLabel('Delete this variant with its renderings').check();
  await remove.click();
  await tab.getByRole('status').getByText('Variant deleted.').waitFor();
  expect(await tab.getByRole('link', { name: 'Fails' }).count()).toBe(0);
  await tab.context().close();
});

test('the logs of a report are those of its renderings, with their variants', async () => {
  const tab = await world.enter(world.publisher, { javaScriptEnabled: false });
  await tab.goto(`${world.root}/content/${guid}/logs`);
  const table = tab.getByRole('region', { name: 'Renderings' });
  expect(await table.getByRole('columnheader').allInnerTexts()).toEqual([
    'Rendering',
    'Variant',
    'Bundle',
    'Started',
    'Ended',
    'Outcome',
  ]);
  // The variant of the newest one was deleted.
  const rows = await table.getByRole('row').allInnerTexts();
  expect(rows.map((row) => row.match(/South|Default|succeeded|no data/g))).toEqual([
    null,
    ['no data'],
    ['South', 'succeeded'],
    ['Default', 'succeeded'],
  ]);
  const log = tab.getByRole('log');
  expect(await log.innerText()).toContain('no data');
  await table.getByRole('row').filter({ hasText: 'South' }).getByRole('link').click();
  expect(await log.innerText()).toMatch(/Building R Markdown document\.\.\.[^]*The new rendering is shown/);
  await tab.context().close();
});

test('rejects an invalid value, and keeps the other values in the form', async () => {
  const tab = await world.enter(world.publisher);
  await tab.goto(`${world.root}/content/${guid}/variants`);
  await tab.getByLabel('note').fill('kept');
  // With JavaScript, a number with limits is a slider.
  expect(await tab.getByLabel('Year').getAttribute('type')).toBe('range');
  // A value that the browser would not allow.
  await tab.getByLabel('Year').evaluate((input) => {
    Object.assign(input, { type: 'text', value: '1999' });
  });
  await tab.getByRole('button', { name: 'Render', exact: true }).click();
  expect(await tab.getByRole('alert').innerText()).toBe('Year must be between 2020 and 2026');
  expect(await tab.getByLabel('note').inputValue()).toBe('kept');
  await tab.context().close();
});

test('the form of a variant does not revert changes that others made meanwhile', async () => {
  const values = { region: 'South', year: 2021, note: 'mine' };
  const body = { name: 'Shared', visibility: 'private', values };
  const made = await world.publisher.call('POST', `/v1/content/${guid}/variants`, { body });
  const path = `/v1/content/${guid}/variants/${made.body.key}`;
  const tab = await world.enter(world.publisher, { javaScriptEnabled: false });
  await tab.goto(`${world.root}/content/${guid}/variants/${made.body.key}`);
  // Also shown during rendering; without JavaScript nothing reloads the page.
  await tab.getByLabel('note').waitFor();
  const save = tab.getByRole('button', { name: 'Save and render' });
  const schedule = { cron: '0 6 * * *', timezone: 'Europe/Berlin' };
  await world.publisher.call('PATCH', path, {
    body: { visibility: 'public', values: { ...values, region: 'North' }, schedule },
  });
  await tab.getByLabel('note').fill('changed here');
  await save.click();
  expect(await tab.getByRole('status').first().innerText()).toBe('Saved. Rendering started.');
  const changed = { visibility: 'public', schedule };
  const now = { region: 'North', year: 2021, note: 'changed here' };
  expect((await world.publisher.call('GET', path)).body).toMatchObject({ ...changed, values: now });
  await tab.getByText('At 06:00 (Europe/Berlin)').waitFor();
  expect(await tab.getByText('Next runs:').locator('+ ul').getByRole('listitem').count()).toBe(3);
  await tab.getByLabel('How often').selectOption('never');
  await tab.getByLabel('Region').selectOption('South');
  await save.click();
  expect((await world.publisher.call('GET', path)).body).toMatchObject({
    visibility: 'public',
    schedule: null,
    values: { ...now, region: 'South' },
  });
  await tab.context().close();
});
