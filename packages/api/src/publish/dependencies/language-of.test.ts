import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { collectFiles } from '../collect/collect-files.ts';
import { createTree } from '../collect/testing.ts';
import { languageOf } from './language-of.ts';

const notebook = (metadata: unknown) => JSON.stringify({ cells: [], metadata, nbformat: 4 });
const languageIn = async (appmode: string, files: Record<string, string>) => {
  using tree = createTree(files);
  return await languageOf(tree.dir, (await collectFiles(tree.dir)).files, appmode);
};

test('content needs packages of the language of its kind', async () => {
  expect(await languageIn('shiny', { 'app.R': '' })).toBe('R');
  expect(await languageIn('python-fastapi', { 'app.py': '' })).toBe('Python');
  expect(await languageIn('static', { 'index.html': '' })).toBeNull();
});

test.each([
  ['```{python}\n1\n```', 'Python'],
  ['---\njupyter: python3\n---\n', 'Python'],
  ['```{r}\n1\n```', 'R'],
  ['# Only text', null],
] as const)('a Quarto document %j needs packages of %s', async (text, language) => {
  expect(await languageIn('quarto-static', { 'index.qmd': text })).toBe(language);
});

test('a notebook needs packages of Python, unless it has another kernel', async () => {
  const other = notebook({ kernelspec: { name: 'ir', language: 'R' }, language_info: { name: 'R' } });
  expect(await languageIn('jupyter-static', { 'a.ipynb': other })).toBeNull();
  expect(await languageIn('jupyter-static', { 'a.ipynb': notebook({}), 'b.ipynb': other })).toBe('Python');
  expect(await languageIn('jupyter-static', { 'a.ipynb': 'damaged' })).toBe('Python');
  const python = notebook({ kernelspec: { language: 'python' } });
  expect(await languageIn('jupyter-voila', { 'a.ipynb': python })).toBe('Python');
});

test('a notebook that is too large to be read counts as one of Python', async () => {
  using tree = createTree({ 'a.ipynb': '' });
  writeFileSync(path.join(tree.dir, 'a.ipynb'), Buffer.alloc(11 * 2 ** 20, ' '));
  expect(await languageOf(tree.dir, (await collectFiles(tree.dir)).files, 'jupyter-static')).toBe('Python');
});
