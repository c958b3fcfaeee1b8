// In a real editor: whatever goes wrong between here and the server is one message that says what to do.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startGate, type Gate } from './gate.ts';
import { startWork, type Work } from './work.ts';

let work: Work;
let gate: Gate;
const servers: Server[] = [];
const parent = await mkdtemp(join(tmpdir(), 'pressroom-tls-'));
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions') });
  gate = startGate(work.server.url);
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  for (const server of servers) server.close();
  await work[Symbol.asyncDispose]();
  await rm(parent, { recursive: true });
});
afterEach(async ({ task }) => {
  gate.open();
  await work.editor.screenshot(`connection-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Types an address into the first input; answers what it says about it. */
async function refusedAddress(address: string): Promise<string> {
  const { page } = work.editor;
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.answer(address);
  const message = page.locator(
    '.quick-input-message:visible .monaco-highlighted-label, .quick-input-message:visible',
  );
  await expect
    .poll(async () => (await message.first().textContent()) ?? '', { timeout: 20_000 })
    .not.toMatch(/^Server address/);
  const said = (await message.first().textContent()) ?? '';
  await work.editor.screenshot(`connection-${address.replaceAll(/\W+/g, '-')}`);
  await page.keyboard.press('Escape');
  return said;
}

test('a certificate of an unknown authority', async () => {
  const [key, cert] = [join(parent, 'key.pem'), join(parent, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
    { stdio: 'ignore' },
  );
  const port = await listening(
    createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, (_request, response) =>
      response.end('{}'),
    ),
  );
  expect(await refusedAddress(`https://127.0.0.1:${port}`)).toMatch(
    /no trusted secure connection.*Add the certificate authority/,
  );
});

test("a proxy's login page", async () => {
  const port = await listening(
    createHttpServer((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><title>Sign in to the network</title></html>');
    }),
  );
  expect(await refusedAddress(`http://127.0.0.1:${port}`)).toMatch(
    /web page \("Sign in to the network"\).*proxy/,
  );
});

test('a name that does not exist, and an address that is none', async () => {
  expect(await refusedAddress('http://no-such-host.invalid')).toMatch(/host name was not found.*spelling/);
});

const live = async () =>
  (
    (await (await work.server.administrator()).call('GET', '/v1/content')).body as {
      bundle_id: string | null;
    }[]
  ).map(({ bundle_id }) => bundle_id);

test('the server is gone when publishing begins', async () => {
  const { page } = work.editor;
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.answer(gate.url());
  await page.getByText('(2/3)').waitFor();
  await work.answer(work.person.key);
  await page.getByText('(3/3)').waitFor();
  gate.close();
  await work.answer(null);
  await work.toast(/Could not publish static-page: No response from .*: the connection was lost/);
  gate.open();
  await work.press('Retry');
  await work.toast('static-page is live');
  expect(await live()).toEqual(['1']);
});

test('the key is revoked in the middle: sign in again, and it goes on', async () => {
  const admin = await work.server.administrator();
  const keys = (await admin.call('GET', `/v1/users/${work.person.guid}/keys`)).body as { id: string }[];
  const made = (await admin.call('POST', `/v1/users/${work.person.guid}/keys`, { body: { name: 'second' } }))
    .body;
  for (const { id } of keys) await admin.call('DELETE', `/v1/users/${work.person.guid}/keys/${id}`);
  await work.command('pressroom.publish');
  await work.toast(/Could not publish .*: .*Sign in again with a valid API key/);
  await work.editor.screenshot('connection-revoked');
  await work.press('Sign In Again');
  await work.editor.page.getByText(/API key for/).waitFor();
  await work.answer(made.key);
  await work.toast('static-page is live');
  expect(await live()).toEqual(['2']);
});

test('the content was deleted: publish as new', async () => {
  const admin = await work.server.administrator();
  const [{ guid }] = (await admin.call('GET', '/v1/content')).body;
  await admin.call('DELETE', `/v1/content/${guid}`);
  await work.command('pressroom.publish');
  await work.toast('Could not publish static-page: The content no longer exists on the server.');
  await work.editor.screenshot('connection-deleted');
  await work.press('Publish as New');
  await work.toast('static-page is live');
  expect(await live()).toEqual(['3']);
});

test('a name that is taken is no obstacle: the content gets one like it', async () => {
  const { page } = work.editor;
  await work.command('pressroom.publishAsNew');
  await page.getByText('(1/3)').waitFor();
  await work.answer(null);
  await page.getByText('(3/3)').waitFor();
  await work.answer(null);
  await work.toast('static-page is live');
  const admin = await work.server.administrator();
  const names = ((await admin.call('GET', '/v1/content')).body as { name: string }[]).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['static-page', expect.stringMatching(/^static-page-\w{5}$/)]);
});
