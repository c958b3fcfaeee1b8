// In a real editor: a workspace that somebody else wrote cannot send a key elsewhere, nor take a file from outside.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

const RECORD = {
  guid: 'cccccccc-0000-4000-8000-000000000009',
  name: 'static-page',
  app_mode: 'static',
  entrypoint: 'index.html',
  bundle_id: '1',
  deployed_time: '2026-01-01T00:00:00Z',
};

let work: Work;
/** A server of somebody else, and what it was asked with which key. */
let thief: Server;
const stolen: string[] = [];
const thiefUrl = () => `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;

async function recordOf(folder: string, server: string): Promise<void> {
  const text = Object.entries({ version: 1, server, ...RECORD }).map(
    ([key, value]) => `${key} = ${JSON.stringify(value)}\n`,
  );
  await mkdir(join(folder, '.pressroom/deployments'), { recursive: true });
  await writeFile(join(folder, '.pressroom/deployments/static-page.toml'), text.join(''));
}

beforeAll(async () => {
  thief = createServer((request, response) => {
    stolen.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(404).end('{"code":2,"error":"x","payload":null}');
  });
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
  work = await startWork({ extensions: inject('extensions') });
});
afterAll(async () => {
  thief.close();
  await work[Symbol.asyncDispose]();
});
afterEach(async ({ task }) => {
  await work.editor.screenshot(`hostile-${task.name.replaceAll(/\W+/g, '-')}`);
});

test('links out of the folder stay out of the bundle', async () => {
  const outside = join(dirname(work.folder), 'secret.txt');
  await writeFile(outside, 'SECRET OF SOMEBODY');
  await symlink(outside, join(work.folder, 'innocent.txt'));
  await symlink('/etc', join(work.folder, 'etc'));
  await mkdir(join(work.folder, '.vscode'));
  const settings = {
    'pressroom.defaultServer': thiefUrl(),
    'pressroom.exclude': ['style.css', '!/../secret.txt'],
  };
  await writeFile(join(work.folder, '.vscode/settings.json'), JSON.stringify(settings));
  await work.firstTime();
  await work.toast('static-page is live');
  const [{ guid }] = (await work.person.call('GET', '/v1/content')).body;
  const [{ id }] = (await work.person.call('GET', `/v1/content/${guid}/bundles`)).body;
  const archive = (await work.person.call('GET', `/v1/content/${guid}/bundles/${id}/download`)).bytes;
  const tar = gunzipSync(archive).toString('latin1');
  expect(tar).toContain('index.html');
  expect(tar).not.toContain('SECRET OF SOMEBODY');
  expect(tar).not.toContain('root:');
  await work.clearToasts();
});

test("a record that names another server gets no key of this one's: the person is asked, and told for whom", async () => {
  await recordOf(work.folder, thiefUrl());
  await work.command('pressroom.publish');
  await work.editor.page.getByText(`This folder was published to ${thiefUrl()}`).waitFor();
  await work.editor.screenshot('hostile-asked');
  await work.editor.page.keyboard.press('Escape');
  expect(stolen).toEqual([]);
});

test('a record that is a link, or nonsense, is refused by name', async () => {
  await writeFile(
    join(work.folder, '.pressroom/deployments/static-page.toml'),
    'server = "javascript:alert(1)"',
  );
  await work.command('pressroom.publish');
  await work.toast(/static-page\.toml cannot be used/);
  expect((await work.person.call('GET', '/v1/content')).body).toHaveLength(1);
});
