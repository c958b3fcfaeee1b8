// Covers what is copied of the publisher's own rendering.
import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeLocalRendering } from './local-rendering.ts';

test('takes what lies beside the page and below, and writes nothing elsewhere', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'pressroom-local-rendering-'));
  const at = (...path: string[]) => join(directory.path, ...path);
  await mkdir(at('source', '_site', 'css'), { recursive: true });
  const files = ['_site/index.html', '_site/css/a.css', 'data.csv', 'index.Rmd'];
  for (const file of files) await writeFile(at('source', file), file);
  const rendered = { page: '_site/index.html', files };
  expect(await takeLocalRendering(at('source'), rendered, at('work'), at('target'))).toBe(true);
  expect((await readdir(at('target'), { recursive: true })).toSorted()).toEqual([
    'css',
    'css/a.css',
    'index.html',
  ]);
  expect((await readdir(directory.path)).toSorted()).toEqual(['source', 'target', 'work']);
});

test('takes nothing outside the bundle, whatever a stored manifest says', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'pressroom-local-rendering-'));
  const at = (...path: string[]) => join(directory.path, ...path);
  await mkdir(at('source'));
  await mkdir(at('other'));
  for (const name of ['index.html', 'data.csv']) await writeFile(at('other', name), 'of others');
  const rendered = { page: 'x\n/../../other/index.html', files: ['x\n/../../other/data.csv'] };
  expect(await takeLocalRendering(at('source'), rendered, at('work'), at('target'))).toBe(false);
  expect((await readdir(directory.path)).toSorted()).toEqual(['other', 'source']);
});
