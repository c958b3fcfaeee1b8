// Covers links of a rendered page to documents that were not rendered.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findUnrenderedLinks } from './unrendered-links.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'pressroom-links-'));
});
afterEach(() => rm(base, { recursive: true }));

async function put(path: string, text = ''): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), text);
}
const find = () => findUnrenderedLinks(join(base, 'source'), join(base, 'target'), 'main.Rmd');

test('finds links to the pages of documents and to documents themselves, each once', async () => {
  const links = ['other.html', 'other.html#part', './sub/Gr%C3%BC%C3%9Fe.html?a=1', 'b.qmd', 'a&amp;b.HTM'];
  await put('target/index.html', links.map((link) => `<a class="x" href="${link}">x</a>`).join('\n'));
  for (const name of ['other.Rmd', 'sub/Grüße.ipynb', 'b.qmd', 'a&b.rmd']) await put(`source/${name}`);
  expect(await find()).toEqual([
    { link: 'other.html', document: 'other.Rmd' },
    { link: './sub/Gr%C3%BC%C3%9Fe.html', document: 'sub/Grüße.ipynb' },
    { link: 'b.qmd', document: 'b.qmd' },
    { link: 'a&amp;b.HTM', document: 'a&b.rmd' },
  ]);
});

test('passes over links to what is served, to what the bundle never had, and out of it', async () => {
  const links =
    'main.html other.html other.Rmd notebook.ipynb none.html data.csv #part ?a=1 ../other.html /other.html';
  const odd = 'https://example.com/b.html //example.com/b.html b%00.html %FF.html l.html';
  const all = `${links} ${odd}`.split(' ');
  await put('target/index.html', all.map((link) => `<a href="${link}">x</a>`).join('\n'));
  for (const name of ['other.html', 'notebook.ipynb']) await put(`target/${name}`);
  for (const name of ['main.Rmd', 'other.Rmd', 'notebook.ipynb', 'data.csv', 'b.Rmd'])
    await put(`source/${name}`);
  await put('other.Rmd');
  await symlink('/etc/passwd', join(base, 'source/l.Rmd'));
  expect(await find()).toEqual([]);
});

test('names twenty of very many links', async () => {
  for (let i = 0; i < 30; i += 1) await put(`source/${i}.Rmd`);
  const many = Array.from({ length: 3000 }, (_, i) => `<a href="${i}.html">`).join('');
  await put('target/index.html', `${many}${'href="'.repeat(2000)}`);
  expect(await find()).toHaveLength(20);
});
