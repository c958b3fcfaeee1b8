// In a real editor: a report with parameters is rendered with other values, kept as a variant, opened and looked up again.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

const REPORT = `---
title: Sales
output: html_document
params:
  region:
    label: Region
    value: North
    choices: [North, South]
  year:
    label: Year
    input: slider
    value: 2026
    min: 2020
    max: 2030
---

Sales of \`r params$region\` in \`r params$year\`.
`;

let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), examples: ['r-markdown-report'] });
  await writeFile(join(work.folder, 'index.Rmd'), REPORT);
  await work.firstTime();
  await work.toast('r-markdown-report is live');
  await work.clearToasts();
});
afterAll(() => work[Symbol.asyncDispose]());

test('a variant is made from the parameters, rendered, and found with its renderings', async () => {
  const { page, screenshot } = work.editor;
  const row = (text: string | RegExp) =>
    page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  const input = page.locator('.quick-input-widget:visible');
  await work.command('pressroom.variants', work.folder);
  await row('Default').waitFor();
  await row('Render with other values').click();
  await row('Region').click();
  await row('South').click();
  await row(/Region.*South/).waitFor();
  await row('Year').click();
  await input.getByText('from 2020 to 2030').first().waitFor();
  await work.answer('2031');
  await input.getByText('Enter a value from 2020 to 2030.').first().waitFor();
  await work.answer('2025');
  await row(/Year.*2025/).waitFor();
  await screenshot('variants-form');
  await row('Save as variant').click();
  await input.getByText('A name, such as the region').first().waitFor();
  await work.answer('The South');
  await row('All who may view the content').click();
  await work.toast('The South was rendered.');

  const [record] = await readRecords(work.folder);
  const { body } = await work.person.call('GET', `/v1/content/${record!.guid}/variants`);
  const made = body.find(({ name }: { name: string }) => name === 'The South');
  expect(made).toMatchObject({ visibility: 'public', values: { region: 'South', year: 2025 } });
  const rendered = await fetch(made.url, { headers: { authorization: `Key ${work.person.key}` } });
  expect(await rendered.text()).toContain('Sales of South in 2025.');

  await work.clearToasts();
  await work.command('pressroom.variants', work.folder);
  await row(/The South.*region = South · year = 2025/).waitFor();
  await screenshot('variants-list');
  await row('The South').click();
  await row('Renderings').click();
  await row(/year = 2025.*shown/).waitFor();
  await screenshot('variants-renderings');
  await page.keyboard.press('Escape');
});
