import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Uri } from 'vscode';
import { createCopies } from '../publish/directories/copies.ts';
import { createDirectories } from '../publish/directories/directories.ts';
import { createMemory } from '../store/memory.ts';
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
  const memory = createMemory(undefined);
  const view = createFiles({ ...directories, update }, memory, disk);
  view.show(dir);
  const children = async (node?: FileNode) => (await view.getChildren(node)) as FileNode[];
  const rules = () => readFile(join(dir, '.pressroomignore'), 'utf8');
  return { dir, view, memory, children, rules, log };
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

test('does not redraw again for a change before the editor has asked for the redrawn tree', async () => {
  const { dir, view, children, log } = await setup({ 'index.html': 'page' });
  await children();
  view.onDidChangeTreeData?.(() => log.push('drawn'));
  vi.useFakeTimers();
  try {
    view.refresh();
    view.onFile({ uri: Uri.file('a'), file: join(dir, 'a'), kind: 'created' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(log).toEqual(['read', 'drawn']);
  } finally {
    vi.useRealTimers();
  }
  await writeFile(join(dir, 'a'), '1');
  expect((await children()).map(({ name }) => name)).toEqual(['a', 'index.html']);
  view.dispose();
});

test('a check box reads and writes nothing through a link of the repository', async () => {
  const { dir, view, children } = await setup({ 'index.html': 'page', 'x;touch owned': '' });
  const outside = await mkdtemp(join(tmpdir(), 'pressroom-outside-'));
  dirs.push(outside);
  const profile = join(outside, '.profile');
  await writeFile(profile, 'export A=1\n');
  const odd = (await children()).find(({ name }) => name.startsWith('x;'));
  await symlink(profile, join(dir, '.pressroomignore'));
  await expect(view.check([[odd!, TreeItemCheckboxState.Unchecked]])).rejects.toThrow('symbolic link');
  await expect(children()).rejects.toThrow('a link out of the directory');
  expect(await readFile(profile, 'utf8')).toBe('export A=1\n');
  await rm(join(dir, '.pressroomignore'));
  await symlink('/dev/zero', join(dir, '.pressroomignore'));
  await expect(view.check([[odd!, TreeItemCheckboxState.Unchecked]])).rejects.toThrow('symbolic link');
});

/** A directory with an own manifest.json that lists two files, one of them excluded otherwise. */
async function setupListed() {
  const manifest = {
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    files: { 'index.html': { checksum: '' }, 'old.pyc': { checksum: '' } },
  };
  return setup({
    'index.html': 'page',
    'old.pyc': '1',
    'added-later.csv': '1',
    'manifest.json': JSON.stringify(manifest),
  });
}

test('shows the files that an own manifest.json lists, without check boxes, which would do nothing', async () => {
  const { view, children } = await setupListed();
  const nodes = await children();
  expect(nodes.map(({ name, reason }) => [name, reason])).toEqual([
    ['added-later.csv', 'manifest.json does not list it'],
    ['index.html', null],
    ['manifest.json', null],
    ['old.pyc', null],
  ]);
  for (const node of nodes) expect(await view.getTreeItem(node)).not.toHaveProperty('checkboxState');
});

test('a chosen type overrides an own manifest.json: all files are shown again', async () => {
  const { dir, view, memory, children } = await setupListed();
  const excluded = async () =>
    (await children()).flatMap(({ name, reason }) => (reason === null ? [] : [name]));
  expect(await excluded()).toEqual(['added-later.csv']);
  memory.choose(dir, { server: 'https://x', type: 'static', entrypoint: 'index.html' });
  view.refresh();
  expect(await excluded()).toEqual(['old.pyc']);
});

test('redraws the tree when an own manifest.json is written again', async () => {
  const { dir, view, children } = await setupListed();
  await children();
  const drawn = new Promise((resolve) => view.onDidChangeTreeData?.(resolve));
  const file = join(dir, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { files: object };
  manifest.files = { ...manifest.files, 'added-later.csv': { checksum: '' } };
  await writeFile(file, JSON.stringify(manifest));
  view.onFile({ uri: Uri.file(file), file, kind: 'changed' });
  await drawn;
  expect((await children()).every(({ reason }) => reason === null)).toBe(true);
  view.dispose();
});
