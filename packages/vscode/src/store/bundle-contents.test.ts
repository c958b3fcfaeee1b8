import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createBundleContents } from './bundle-contents.ts';

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

const bundle = { server: 'https://a.example.com', guid: 'g', bundle_id: '1' };
const md5 = 'd41d8cd98f00b204e9800998ecf8427e';
const contents = new Map([
  ['index.html', { md5, size: 3, stamp: '1:2:3.5' }],
  ['data/a b  c.csv', { md5, size: 0 }],
]);

test('keeps the contents of a bundle for the next window, with stamps', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-contents-'));
  dirs.push(folder);
  await createBundleContents(folder).keep(bundle, contents);
  const next = createBundleContents(folder);
  expect(await next.get(bundle)).toEqual(contents);
  for (const other of [{ server: 'https://b.example.com' }, { guid: 'h' }, { bundle_id: '2' }]) {
    expect(await next.get({ ...bundle, ...other })).toBeUndefined();
  }
});

test('keeps files whatever their names, and reads no other file from one of them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-contents-'));
  dirs.push(folder);
  const other = `a\n${md5} 1 - app.R`;
  const odd = new Map(['a\u2028b.csv', 'c\rd', other].map((name) => [name, { md5, size: 3 }]));
  await createBundleContents(folder).keep(bundle, odd);
  const found = await createBundleContents(folder).get(bundle);
  expect([...(found?.keys() ?? [])]).toEqual(['a\u2028b.csv', 'c\rd', other]);
});

test('keeps the contents of the last hundred bundles', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-contents-'));
  dirs.push(folder);
  const all = createBundleContents(folder);
  for (let id = 0; id < 110; id += 1) await all.keep({ ...bundle, bundle_id: String(id) }, contents);
  expect(await readdir(folder)).toHaveLength(100);
  expect(await createBundleContents(folder).get({ ...bundle, bundle_id: '109' })).toEqual(contents);
});

test('keeps contents in memory when nothing can be written', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'pressroom-contents-'));
  dirs.push(parent);
  await writeFile(join(parent, 'file'), '');
  for (const folder of [undefined, join(parent, 'file')]) {
    const all = createBundleContents(folder);
    await all.keep(bundle, contents);
    expect(await all.get(bundle)).toBe(contents);
  }
});
