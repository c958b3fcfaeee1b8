import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Uri } from 'vscode';
import { createCopies } from '../publish/directories/copies.ts';
import { createDirectories } from '../publish/directories/directories.ts';
import { FileType, TreeItemCheckboxState } from '../testing/fake-vscode.ts';
import { createFiles, type FileNode } from './files.ts';

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

async function setup(files: Record<string, string>, readable = true) {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-files-'));
  dirs.push(dir);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  const disk = {
    readFile: ({ fsPath }: Uri) =>
      readFile(fsPath).catch((cause: unknown) => {
        throw Object.assign(new Error('not read', { cause }), {
          code: readable ? 'FileNotFound' : 'Unavailable',
        });
      }),
    writeFile: ({ fsPath }: Uri, data: Uint8Array) => writeFile(fsPath, data),
    // Like the editor: a link has the type of its target, too.
    stat: async ({ fsPath }: Uri) => {
      const isLink = await lstat(fsPath).then(
        (stats) => stats.isSymbolicLink(),
        () => false,
      );
      if (isLink) return { type: FileType.File | FileType.SymbolicLink } as never;
      throw Object.assign(new Error('missing'), { code: 'FileNotFound' });
    },
  };
  const directories = createDirectories(createCopies({} as never), undefined);
  const log: string[] = [];
  const update = async () => void log.push('read');
  const view = createFiles({ ...directories, update }, disk);
  view.show(dir);
  const children = async (node?: FileNode) => (await view.getChildren(node)) as FileNode[];
  const rules = () => readFile(join(dir, '.pressroomignore'), 'utf8');
  return { dir, view, children, rules, log };
}

test('lists folders first, with sizes, and exclusions with a reason and no checkbox', async () => {
  const { view, children } = await setup({
    'index.html': 'page',
    'data/a.csv': '12345',
    'data/b.csv': '1',
    '.env': 'S=1',
  });
  const nodes = await children();
  expect(nodes.map(({ name, size }) => [name, size])).toEqual([
    ['data', 6],
    ['.env', 0],
    ['index.html', 4],
  ]);
  expect(await view.getTreeItem(nodes[1]!)).toMatchObject({
    description: expect.stringContaining('secrets'),
  });
  expect(await view.getTreeItem(nodes[1]!)).not.toHaveProperty('checkboxState');
  expect((await children(nodes[0])).map(({ name }) => name)).toEqual(['a.csv', 'b.csv']);
});

test('a checkbox writes one line to .pressroomignore and removes it again', async () => {
  const { view, children, rules } = await setup({ 'index.html': 'page', 'notes [1].txt': 'x' });
  const find = async () => (await children()).find(({ name }) => name === 'notes [1].txt')!;
  await view.check([[await find(), TreeItemCheckboxState.Unchecked]]);
  expect(await rules()).toBe('/notes\\ \\[1\\].txt\n');
  expect(await find()).toMatchObject({ reason: 'left out by an ignore file' });
  await view.check([[await find(), TreeItemCheckboxState.Checked]]);
  expect(await rules()).toBe('');
  expect(await find()).toMatchObject({ reason: null });
});

test.each(['\n', '\r\n'])('a checkbox leaves the other lines as they are, which end in %j', async (end) => {
  const before = ['# Raw data', '/raw/', '', '# Drafts', '*.draft', '/a.csv', ''].join(end);
  const { view, children, rules } = await setup({ '.pressroomignore': before, 'a.csv': '1', 'b.csv': '2' });
  const press = async (name: string, state: number) =>
    view.check([[(await children()).find((node) => node.name === name)!, state]]);
  await press('b.csv', TreeItemCheckboxState.Unchecked);
  expect(await rules()).toBe(`${before}/b.csv${end}`);
  await press('a.csv', TreeItemCheckboxState.Checked);
  await press('b.csv', TreeItemCheckboxState.Checked);
  expect(await rules()).toBe(before.replace(`/a.csv${end}`, ''));
});

test('a checkbox keeps rules in UTF-16, as PowerShell writes them', async () => {
  const { dir, view, children, rules } = await setup({ 'a.csv': '1', 'b.csv': '2' });
  await writeFile(join(dir, '.pressroomignore'), '\uFEFF/b.csv\r\n', 'utf16le');
  const a = (await children()).find(({ name }) => name === 'a.csv')!;
  await view.check([[a, TreeItemCheckboxState.Unchecked]]);
  expect(await rules()).toBe('/b.csv\r\n/a.csv\r\n');
});

test('writes both of two checkboxes cleared in quick succession', async () => {
  const { view, children, rules } = await setup({ 'index.html': 'page', 'a.csv': '1', 'b.csv': '2' });
  const [a, b] = await children();
  await Promise.all([a, b].map((node) => view.check([[node!, TreeItemCheckboxState.Unchecked]])));
  expect(await rules()).toBe('/a.csv\n/b.csv\n');
});

test('does not overwrite an ignore file that cannot be read', async () => {
  const { view, children, rules } = await setup({ 'index.html': 'page' }, false);
  const [page] = await children();
  await expect(view.check([[page!, TreeItemCheckboxState.Unchecked]])).rejects.toThrow('not read');
  await expect(rules()).rejects.toThrow('ENOENT');
});

test('redraws the tree when files come or go, but not without a change', async () => {
  const { dir, view, children, log } = await setup({ 'index.html': 'page' });
  await children();
  view.onDidChangeTreeData?.(() => log.push('drawn'));
  const news = (name: string) => view.onFile({ uri: Uri.file(name), file: join(dir, name), kind: 'created' });
  news('index.html');
  view.show(dir);
  await vi.waitUntil(() => log.length === 2, { timeout: 10_000 });
  // The third scan begins well after the end of the second.
  news('index.html');
  await vi.waitUntil(() => log.length === 3, { timeout: 10_000 });
  expect(log).toEqual(['read', 'read', 'read']);
  await writeFile(join(dir, 'data.csv'), '1');
  news('data.csv');
  await vi.waitUntil(() => log.includes('drawn'), { timeout: 10_000 });
  expect((await children()).map(({ name }) => name)).toEqual(['data.csv', 'index.html']);
  view.dispose();
});

test('a check box reads and writes nothing through a link of the repository', async () => {
  const { dir, view, children } = await setup({ 'index.html': 'page', 'x;touch owned': '' });
  const outside = await mkdtemp(join(tmpdir(), 'pressroom-outside-'));
  dirs.push(outside);
  const profile = join(outside, '.profile');
  await writeFile(profile, 'export A=1\n');
  await symlink(profile, join(dir, '.pressroomignore'));
  const odd = (await children()).find(({ name }) => name.startsWith('x;'));
  await expect(view.check([[odd!, TreeItemCheckboxState.Unchecked]])).rejects.toThrow('symbolic link');
  expect(await readFile(profile, 'utf8')).toBe('export A=1\n');
  await rm(join(dir, '.pressroomignore'));
  await symlink('/dev/zero', join(dir, '.pressroomignore'));
  await expect(view.check([[odd!, TreeItemCheckboxState.Unchecked]])).rejects.toThrow('symbolic link');
});
