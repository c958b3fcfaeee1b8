// Covers the browser build in a real editor with a web extension host: no Node.js, only what a browser allows.
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { publish } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
let proxy: Server;
let allowed = false;

/** Starts a proxy that permits editors of other origins if `allowed`, as an operator may configure it. */
function startProxy(target: () => string): Promise<Server> {
  const server = createServer((asked, response) => {
    const cors = allowed
      ? {
          'access-control-allow-origin': '*',
          'access-control-allow-headers': 'authorization, content-type, accept',
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        }
      : {};
    if (asked.method === 'OPTIONS') return void response.writeHead(204, cors).end();
    const { method, headers } = asked;
    const sent = request(`${target()}${asked.url}`, { method, headers }, (got) => {
      response.writeHead(got.statusCode ?? 500, { ...got.headers, ...cors });
      got.pipe(response);
    });
    asked.pipe(sent);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

beforeAll(async () => {
  proxy = await startProxy(() => work.server.url);
  const settings = { 'remote.extensionKind': { 'pressroom.pressroom': ['web'] } };
  work = await startWork({ extensions: inject('extensions'), settings, worker: true });
});
afterAll(async () => {
  proxy.close();
  await work[Symbol.asyncDispose]();
});

test('in the browser alone: signs in, follows, rolls back, and publishes a folder twice', async () => {
  const { page, screenshot } = work.editor;
  const { call, key } = work.person;
  const { guid } = await publish(work.person, { 'index.html': 'one' }, { fields: { title: 'Report' } });
  await publish(work.person, { 'index.html': 'two' }, { guid });
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await work.command('pressroom.signIn');
  await page.getByText('(1/2)').waitFor();
  await work.respond(address);
  await page.getByText(/does not allow requests from this editor/).waitFor();
  allowed = true;
  await work.respond(address);
  await page.getByText('(2/2)').waitFor();
  await work.respond(key);
  await work.editor.inHost((vs) => vs.commands.executeCommand('pressroom.deployments.focus'));
  const row = (name: string) => page.locator(`.pane-body .monaco-list-row[aria-label^="${name}"]`).first();
  await work.expand(row('127.0.0.1'), row('Report'));
  await work.expand(row('Report'), row('Bundle 2, active'));
  await screenshot('web-tree');
  await work.command('pressroom.rollbackLast');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Report' }).waitFor();
  await page.keyboard.press('Enter');
  await work.toast('Report is live');
  const active = async (id: string) => {
    const bundles = (await call('GET', `/v1/content/${id}/bundles`)).body as {
      id: string;
      active: boolean;
    }[];
    return bundles.find((bundle) => bundle.active)?.id;
  };
  expect(await active(guid)).toBe('1');
  await work.clearToasts();

  await writeFile(join(work.folder, '.env'), 'SECRET=hunter2');
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.respond(null);
  await page.getByText('(3/3)').waitFor();
  await page.getByText('index.html is a page that is served as it is.').waitFor();
  await screenshot('web-confirm');
  await work.respond(null);
  await work.toast('static-page is live');
  const all = (await call('GET', '/v1/content')).body as { guid: string; name: string }[];
  const made = all.filter((content) => content.guid !== guid).map((content) => content.guid);
  expect(made).toHaveLength(1);
  const served = async (file: string) => {
    const headers = { authorization: `Key ${key}` };
    const response = await fetch(`${work.server.url}/content/${made[0]}/${file}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  const file = join(work.folder, 'index.html');
  expect((await served('')).text).toBe(await readFile(file, 'utf8'));
  expect((await served('.env')).status).toBe(404);
  // The record is in the folder, so that another editor can continue.
  const records = await readdir(join(work.folder, '.pressroom/deployments'));
  expect(records).toHaveLength(1);
  const first = await active(made[0]!);
  await work.clearToasts();

  await appendFile(file, '<!-- second -->');
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  expect((await served('')).text).toContain('<!-- second -->');
  expect(await active(made[0]!)).not.toBe(first);
  expect(await readFile(join(work.folder, '.pressroom/deployments', records[0]!), 'utf8')).toContain(
    `bundle_id = "${await active(made[0]!)}"`,
  );
  await row('static-page').waitFor();
  await screenshot('web-published');
});
