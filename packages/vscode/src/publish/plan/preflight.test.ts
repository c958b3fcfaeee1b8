import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@pressroom/api/client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { window } from 'vscode';
import { createMemory } from '../../store/memory.ts';
import { recorded } from '../../testing/fake-vscode.ts';
import { createCopies } from '../directories/copies.ts';
import { createDirectories } from '../directories/directories.ts';
import { createPreflight } from './preflight.ts';

beforeEach(() => recorded.reset());
afterEach(() => vi.restoreAllMocks());

/** A directory whose own manifest.json lists keys, and a server that says nothing. */
async function setup() {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-preflight-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const manifest = {
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    files: Object.fromEntries(['index.html', 'listed.pem', '.env'].map((name) => [name, { checksum: '' }])),
  };
  for (const name of ['index.html', 'listed.pem', '.env', 'unlisted.pem'])
    await writeFile(path.join(dir, name), 'x');
  await writeFile(path.join(dir, 'manifest.json'), JSON.stringify(manifest));
  const client = new Proxy({ url: 'https://x', close: async () => undefined } as unknown as Client, {
    get: (target, name) => Reflect.get(target, name) ?? (() => Promise.reject(new Error('no answer'))),
  });
  const preflight = createPreflight({
    connect: () => client,
    directories: createDirectories(createCopies({} as never), undefined),
    dependencies: { check: async () => undefined, complete: async () => 0 },
    memory: createMemory(undefined),
    log: { line: () => undefined },
  });
  return { dir, pass: () => preflight.pass(dir, 'site', { server: 'https://x', key: 'k', guid: undefined }) };
}

test('asks about keys that an own manifest.json lists, and opens it: an ignore file would not exclude them', async () => {
  const { dir, pass } = await setup();
  const open = vi.fn();
  Object.assign(window, { showTextDocument: open });
  onTestFinished(() => void Reflect.deleteProperty(window, 'showTextDocument'));
  recorded.choose.push('manifest.json lists files that may hold secrets');
  expect(await pass()).toBeUndefined();
  expect(recorded.picks[0]?.rows[0]?.detail).toBe(
    '.env, listed.pem: write manifest.json again without them.',
  );
  expect(open.mock.calls).toEqual([[expect.objectContaining({ path: path.join(dir, 'manifest.json') })]]);
});
