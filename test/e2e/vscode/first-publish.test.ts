// In a real editor: the first publishing takes three inputs, every later one a click.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startEditor, type Editor } from './editor.ts';

const example = join(import.meta.dirname, '../../../examples/static-page');
let server: TestServer;
let person: Person;
let editor: Editor;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  person = await server.person('publisher');
  folder = join(await mkdtemp(join(tmpdir(), 'pressroom-work-')), 'static-page');
  await cp(example, folder, { recursive: true });
  editor = await startEditor({ open: folder, extensions: inject('extensions') });
});
afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const input = () => editor.page.locator('.quick-input-widget input');

test('three inputs, and the page is live', async () => {
  const { page } = editor;
  void editor.inHost((vs) => void vs.commands.executeCommand('pressroom.publish'));
  await page.getByText('Publish static-page').first().waitFor();
  await editor.screenshot('1-server');
  await input().fill(server.url);
  await input().press('Enter');
  await page.getByText('API key for').first().waitFor();
  await editor.screenshot('2-key');
  await input().fill(person.key);
  await input().press('Enter');
  await page
    .getByText('Enter publishes')
    .or(page.getByPlaceholder(/Enter publishes/))
    .first()
    .waitFor();
  await editor.screenshot('3-confirm');
  await input().press('Enter');
  await page.getByText('static-page is live').first().waitFor();
  await editor.screenshot('4-live');
  expect(await editor.log()).toContain('Building static content...');
});
