// Covers the demo channel in a browser: type a command, see the blocks, press a button, confirm, link an account.
import { openBrowser } from '@pressroom/testkit';
import { startDemo, type RunningDemo } from '@pressroom/testkit/slack';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

let demo: RunningDemo;
let browser: Browser;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  demo = await startDemo({ port: 0 });
  browser = await openBrowser();
  page = await browser.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
});
afterAll(async () => {
  await browser.close();
  await demo[Symbol.asyncDispose]();
});

const type = async (line: string) => {
  await page.fill('#line', line);
  await page.press('#line', 'Enter');
};

test('a typed deploy is followed, then rolled back with a button and a window', async () => {
  await page.goto(`${demo.url}/?user=${demo.users.pia.id}`);
  await type('/pressroom deploy sales-report');
  await page.locator('article', { hasText: 'is live' }).waitFor();
  // Each change redraws the page, which could remove the button during the click.
  await demo.bot.idle();
  await page.locator('article button', { hasText: 'Roll back…' }).first().click();
  await page.locator('#modal', { hasText: 'is the last one that worked' }).waitFor();
  await page.locator('#modal footer button', { hasText: 'Roll back' }).click();
  await page.locator('article', { hasText: 'Started the rollback' }).waitFor();
  await demo.bot.idle();
  expect(errors).toEqual([]);
});

test('usage has a chart and a table, and private answers stay private', async () => {
  await type('usage sales-report');
  await page.locator('article figure svg polyline').waitFor();
  await page.locator('article table').first().waitFor();
  await page.selectOption('#who', demo.users.vic.id);
  await expect.poll(() => page.locator('article figure').count()).toBe(0);
  await page.locator('article', { hasText: 'is live' }).first().waitFor();
});

test('a new user links an account with a key, and the command continues', async () => {
  await page.selectOption('#who', demo.users.new.id);
  await type('status sales-report');
  await page.locator('article button', { hasText: 'Use an API key' }).click();
  await page.fill('#modal input', 'a-key-that-is-not-one');
  await page.locator('#modal footer button', { hasText: 'Link' }).click();
  await page.locator('#modal .error').waitFor();
  const { key } = await demo.server.person('viewer');
  await page.fill('#modal input', key);
  await page.locator('#modal footer button', { hasText: 'Link' }).click();
  await page.locator('article', { hasText: 'Last deploy' }).waitFor();
  expect(errors).toEqual([]);
});

test('beside a running server, the demo suggests published content of that server', async () => {
  const { url: at } = demo.server;
  const admin = await demo.server.administrator();
  const { guid } = (await admin.call('POST', '/v1/content', { body: { name: 'aaa-unpublished' } })).body;
  await using beside = await startDemo({ port: 0, existing: { url: at, apiKey: admin.key } });
  const state = (await (await fetch(`${beside.url}/demo/state`)).json()) as { example: object };
  expect(state.example).toEqual({
    content: expect.stringMatching(/^(sales-|churn-)/),
    person: admin.username,
  });
  await admin.call('DELETE', `/v1/content/${String(guid)}`);
});
