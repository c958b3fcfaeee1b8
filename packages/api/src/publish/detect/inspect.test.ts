import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findContentDirectories, inspectDirectory, looksLikeContent } from './inspect.ts';

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

async function workspace(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'pressroom-inspect-'));
  dirs.push(root);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}

const find = async (root: string) =>
  (await findContentDirectories(root, looksLikeContent)).map((dir) => path.relative(root, dir));

test('returns a folder with content as one directory, including its subfolders', async () => {
  const root = await workspace({ 'index.html': '<p>', 'docs/index.html': '<p>', 'notes.txt': '' });
  expect(await find(root)).toEqual(['']);
});

test('returns each content directory of a folder', async () => {
  const root = await workspace({
    'README.md': '',
    'report/index.Rmd': '---\ntitle: x\n---\n',
    'page/index.html': '<p>',
    'quarto/report.qmd': '---\ntitle: x\n---\n',
    'empty/notes.txt': '',
    'node_modules/x/index.html': '',
  });
  expect(await find(root)).toEqual(['page', 'quarto', 'report']);
});

test('finds published directories beside a folder that is content itself', async () => {
  const root = await workspace({ 'index.html': '<p>', 'other/.pressroom/deployments/other.toml': '' });
  expect(await find(root)).toEqual(['', 'other']);
});

test('inspectDirectory returns the candidates, the files, and exclusions with reasons', async () => {
  const root = await workspace({ 'index.html': '<p>', '.env': 'SECRET=1' });
  const { candidates, collected, records } = await inspectDirectory(root);
  expect(candidates[0]).toMatchObject({ appmode: 'static', why: expect.stringMatching(/\.$/) });
  expect(collected.files.map((file) => file.path)).toEqual(['index.html']);
  expect(collected.excluded).toEqual([{ path: '.env', reason: expect.stringContaining('secrets') }]);
  expect(records).toEqual([]);
});
