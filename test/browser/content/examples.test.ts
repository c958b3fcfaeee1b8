// The examples, published as a client would and seen in a real browser.
import { join, resolve } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import {
  finishedTask,
  openBrowser,
  publish,
  startTestServer,
  upload,
  type TestServer,
} from '@pressroom/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');

const REMEMBER_SOCKETS = `
  const Native = WebSocket;
  window.sockets = [];
  window.WebSocket = class extends Native {
    constructor(address) {
      super(address);
      sockets.push(this);
    }
  };`;

let server: TestServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});
beforeEach(async () => {
  page = await browser.newPage();
  // Nothing but the server of the test, under its names for content, too: what a page loads from elsewhere is not waited for.
  await page.route(
    (url) => url.port !== new URL(server.url).port,
    (route) => route.abort(),
  );
});
afterEach(() => page.close());

async function publishExample(name: string): Promise<string> {
  const { key } = await server.administrator();
  const client = createClient({ url: server.url, apiKey: key });
  const dir = join(EXAMPLES, name);
  for await (const event of deploy({ client, dir, name, access_type: 'all', record: false })) {
    if (event.type === 'done') return event.url;
    if (event.type === 'failed') throw new Error(event.error);
  }
  throw new Error('the deploy did not end');
}

test('the Shiny application: an input changes the plot, and goes on doing so after a lost connection', async () => {
  const url = await publishExample('shiny-app');
  await page.addInitScript({ content: REMEMBER_SOCKETS });
  await page.goto(url);
  const plot = page.locator('#months img');
  const choose = async (shop: string) => {
    const before = await plot.getAttribute('src');
    await page.locator('#shop-label').waitFor();
    await page.evaluate(`$('#shop')[0].selectize.setValue(${JSON.stringify(shop)})`);
    await page.waitForFunction(
      `(document.querySelector('#months img')?.getAttribute('src') ?? before) !== before`.replaceAll(
        'before',
        JSON.stringify(before),
      ),
    );
  };
  await plot.waitFor();
  await choose('Station');
  await page.evaluate('sockets[0].close()');
  await choose('Old Mill');
  expect(await page.locator('#shiny-disconnected-overlay').count()).toBe(0);
  expect(await page.evaluate('sockets.length')).toBe(2);
  expect(await page.locator('#totals').innerText()).toContain('Lemonade');
});

test('a script that fails in a page of a canary is counted on its side, and none of what is live', async () => {
  const owner = await server.person('publisher');
  const metadata = { appmode: 'shiny' };
  const app = (side: string, script: string) => ({
    'app.R': `library(shiny)
ui <- fluidPage(h1("${side}"), tags$script(HTML("${script}")))
shinyApp(ui, function(input, output, session) {})
`,
  });
  const { guid } = await publish(owner, app('live', 'window.loaded = 1'), { metadata });
  const bundle_id = await upload(owner, guid, app('canary', 'missing()'), metadata);
  const body = { bundle_id, canary: { share: 50 } };
  const started = await owner.call('POST', `/v1/content/${guid}/deploy`, { body });
  expect(await finishedTask(owner, started.body.task_id)).toMatchObject({ code: 0 });
  const seen = { live: 0, canary: 0 };
  // What each new session gets is left to chance.
  while (seen.live === 0 || seen.canary === 0) {
    await using context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(`${server.url}/content/${guid}/`);
    seen[(await tab.locator('h1').innerText()) as keyof typeof seen] += 1;
  }
  const figures = async () => {
    const { live, canary } = (await owner.call('GET', `/v1/content/${guid}/canary`)).body;
    return [live.pages, live.script_errors, canary.pages, canary.script_errors];
  };
  await expect.poll(figures).toEqual([seen.live, 0, seen.canary, seen.canary]);
});

test('the R Markdown report is rendered, its plot and its table too', async () => {
  await page.goto(await publishExample('r-markdown-report'));
  await expect.poll(() => page.title()).toBe('Café sales');
  const widths = await page.evaluate('[...document.images].map((image) => image.naturalWidth)');
  expect(widths).toEqual([expect.any(Number)]);
  expect(widths).not.toContain(0);
  expect(await page.locator('table').innerText()).toContain('Lemonade');
});

test('the notebook shows what its cells gave', async () => {
  await page.goto(await publishExample('jupyter-notebook'));
  expect(await page.locator('body').innerText()).toContain("'216 rows, 2023-01 to 2024-12'");
  expect(await page.locator('table').first().innerText()).toContain('Old Mill');
});

test('the Plumber API: its documentation page lists it, and a call from the page answers', async () => {
  await page.goto(`${await publishExample('plumber-api')}__docs__/`);
  await page.locator('.opblock-summary', { hasText: '/shops' }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const answered = page.waitForResponse((response) => response.url().endsWith('/shops'));
  await page.getByRole('button', { name: 'Execute' }).click();
  const answer = await answered;
  expect(answer.status()).toBe(200);
  expect(JSON.stringify(await answer.json())).toContain('Harbour');
});

test('the FastAPI API answers in the browser, and says where it is', async () => {
  const url = await publishExample('fastapi-api');
  await page.goto(url);
  expect(JSON.parse(await page.locator('pre').innerText())).toMatchObject({ rows: 216 });
  const openapi = await (await fetch(`${url}openapi.json`)).json();
  expect(openapi).toMatchObject({ servers: [{ url: new URL(url).pathname.replace(/\/$/, '') }] });
});
