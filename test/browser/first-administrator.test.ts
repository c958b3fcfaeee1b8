// Covers the first administrator (H4): requests sent by pages of other sites create none; the page behind the link does.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { openBrowser, startTestServer, type TestServer } from '@pressroom/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Starts a foreign site with one page. */
async function startSite(html: string) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nReferrer-Policy: no-referrer`;
    socket.once('data', () => socket.end(`${head}\r\n\r\n${html}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

const EVE = '{"username":"eve","email":"eve@example.com","password":"battery staple","x":"';
const form = ({ url }: TestServer) => `<!doctype html><title>Harmless</title>
<form method="post" enctype="text/plain" action="${url}/__api__/v1/users"><input name='${EVE}' value='"}'><button>Go</button></form>`;
const script = ({ url }: TestServer) => `<!doctype html><title>Harmless</title><script>
fetch('${url}/__api__/v1/users', { method: 'POST', mode: 'no-cors', body: '${EVE}"}' })
  .finally(() => { document.title = 'done'; });
</script>`;

// The same host, and another one.
test.each(['127.0.0.1', 'evil.localhost'])(
  'H4: a form of a page at %s creates no administrator',
  async (host) => {
    await using server = await startTestServer({ settings: {} });
    await using site = await startSite(form(server));
    const tab = await (await browser.newContext()).newPage();
    await tab.goto(`http://${host}:${site.port}/`);
    const answered = tab.waitForResponse((response) => response.url().endsWith('/v1/users'));
    await tab.getByRole('button').click();
    expect((await answered).status()).toBe(403);
    expect(await server.running.setUpLink()).not.toBe(null);
    await tab.context().close();
  },
);

test('H4: a script of another page creates no administrator', async () => {
  await using server = await startTestServer({ settings: {} });
  await using site = await startSite(script(server));
  const tab = await (await browser.newContext()).newPage();
  await tab.goto(`http://127.0.0.1:${site.port}/`);
  await tab.waitForFunction('document.title === "done"');
  expect(await server.running.setUpLink()).not.toBe(null);
  await tab.context().close();
});

test('the set-up link opens a page that creates the first administrator and continues to the dashboard', async () => {
  await using server = await startTestServer({ settings: {} });
  const tab = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await tab.goto((await server.running.setUpLink())!);
  await tab.getByLabel('Username').fill('ada');
  await tab.getByLabel('Email').fill('ada@example.com');
  await tab.getByLabel('New password').fill('battery staple');
  await tab.getByRole('button', { name: 'Create administrator' }).click();
  await tab.getByRole('link', { name: 'People' }).waitFor();
  expect(await server.running.setUpLink()).toBe(null);
  await tab.context().close();
});
