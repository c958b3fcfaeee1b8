// In a real editor whose host for web extensions runs the build for browsers: no Node.js, only what a browser allows.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publish } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
let proxy: Server;
let allowed = false;

/** What an operator's proxy does for editors of other origins. */
function startProxy(target: () => string): Promise<Server> {
  const server = createServer((asked, answer) => {
    const cors = allowed
      ? {
          'access-control-allow-origin': '*',
          'access-control-allow-headers': 'authorization, content-type, accept',
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        }
      : {};
    if (asked.method === 'OPTIONS') return void answer.writeHead(204, cors).end();
    const { method, headers } = asked;
    const sent = request(`${target()}${asked.url}`, { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, { ...got.headers, ...cors });
      got.pipe(answer);
    });
    asked.pipe(sent);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

beforeAll(async () => {
  proxy = await startProxy(() => work.server.url);
  const settings = { 'remote.extensionKind': { 'pressroom.pressroom': ['web'] } };
  work = await startWork({ extensions: inject('extensions'), settings });
});
afterAll(async () => {
  proxy.close();
  await work[Symbol.asyncDispose]();
});

test('in the browser alone: signed in, followed, rolled back; a folder is published, and again, from its files in memory', async () => {
  const { page, screenshot } = work.editor;
  const { call, key } = work.person;
  const { guid } = await publish(work.person, { 'index.html': 'one' }, { fields: { title: 'Report' } });
  await publish(work.person, { 'index.html': 'two' }, { guid });
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await work.command('pressroom.signIn');
  await page.getByText('(1/2)').waitFor();
  await work.answer(address);
  await page.getByText(/does not allow requests from this editor/).waitFor();
  allowed = true;
  await work.answer(address);
  await page.getByText('(2/2)').waitFor();
  await work.answer(key);
  await work.editor.inHost((vs) => vs.commands.executeCommand('pressroom.deployments.focus'));
  const row = (name: string) => page.locator(`.pane-body .monaco-list-row[aria-label^="${name}"]`).first();
  await row('127.0.0.1').click();
  await page.keyboard.press('ArrowRight');
  await row('Report').click();
  await page.keyboard.press('ArrowRight');
  await row('Bundle 2, active').waitFor();
  await screenshot('web-tree');
  await work.command('pressroom.rollbackLast');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Report' }).waitFor();
  await page.keyboard.press('Enter');
  await work.toast('Bundle 1 is live');
  const bundlesOf = async (id: string) =>
    (await call('GET', `/v1/content/${id}/bundles`)).body as { id: string; active: boolean; size: number }[];
  expect((await bundlesOf(guid)).find(({ active }) => active)?.id).toBe('1');
  await work.clearToasts();

  await work.command('pressroom.publish');
  await page.screenshot({ path: '/tmp/web-publish.png' });
});
