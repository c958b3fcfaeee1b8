import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { afterEach, expect, test, vi } from 'vitest';
import { window, type Uri, type WorkspaceFolder } from 'vscode';
import { createMemoryFs, recorded, settings, Uri as FakeUri, workspace } from '../../testing/fake-vscode.ts';
import { createCopies, type Copies } from './copies.ts';
import { createDirectories } from './directories.ts';

const dirs: string[] = [];
afterEach(async () => {
  settings.clear();
  workspace.workspaceFolders = [];
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

function open(scheme: string, path: string): Uri {
  const uri = FakeUri.from({ scheme, path }) as unknown as Uri;
  workspace.workspaceFolders = [{ uri, name: 'page', index: 0 } satisfies WorkspaceFolder];
  return uri;
}

const RECORD = `server = "https://x"
guid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
name = "page"
app_mode = "static"
deployed_time = "2026-01-01T00:00:00Z"
`;

test('finds a virtual folder that was never copied by its record', async () => {
  const storage = await mkdtemp(join(tmpdir(), 'pressroom-directories-'));
  dirs.push(storage);
  const fs = createMemoryFs({
    'site/index.html': '<p>',
    'site/.pressroom/deployments/page.toml': RECORD,
    'site/app/app.R': 'x',
    'site/app/.pressroom/deployments/page.toml': RECORD,
  });
  const site = open('memory', '/site');
  const { meantBy } = createDirectories(createCopies(fs.api), storage);
  for (const folder of [site, FakeUri.joinPath(site, 'app')]) {
    const dir = await meantBy(folder);
    expect(await readRecords(dir!)).toMatchObject([{ name: 'page' }]);
  }
});

test('publishing a folder on disk waits for no copy', async () => {
  const never = () => new Promise<never>(() => undefined);
  const copies: Copies = { update: never, take: never, scan: never, save: never };
  open('file', '/site');
  const directories = createDirectories(copies, '/storage');
  const { lacks, release } = await directories.take('/site/app', {});
  expect(lacks).toEqual([]);
  release();
  await directories.save('/site/app');
});

test('finds the published folder of a file when the root of a disk is open', async () => {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-directories-'));
  dirs.push(home);
  await mkdir(join(home, '.pressroom/deployments'), { recursive: true });
  await writeFile(join(home, '.pressroom/deployments/page.toml'), RECORD);
  await mkdir(join(home, 'notes'));
  await writeFile(join(home, 'notes/a.txt'), '');
  open('file', '/');
  const { meantBy } = createDirectories(createCopies({} as never), undefined);
  expect(await meantBy(FakeUri.file(join(home, 'notes/a.txt')))).toBe(home);
});

test('lists a workspace folder inside another one once', async () => {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-directories-'));
  dirs.push(home);
  await mkdir(join(home, 'app'));
  await writeFile(join(home, 'app/index.html'), '<p>');
  workspace.workspaceFolders = [home, join(home, 'app')].map((path, index) => {
    const uri = FakeUri.file(path) as unknown as Uri;
    return { uri, name: path, index };
  });
  const { all, meantBy } = createDirectories(createCopies({} as never), undefined);
  expect(await all()).toEqual([join(home, 'app')]);
  expect(await meantBy(undefined)).toBe(join(home, 'app'));
});

test('of a repository, means the content in it, unless it is content itself', async () => {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-directories-'));
  dirs.push(home);
  await mkdir(join(home, 'report'));
  await writeFile(join(home, 'report/index.html'), '<p>');
  await writeFile(join(home, 'README.md'), '');
  const rootUri = open('file', home);
  const { meantBy } = createDirectories(createCopies({} as never), undefined);
  expect(await meantBy({ rootUri })).toBe(join(home, 'report'));
  // A folder of the Explorer is what it is.
  expect(await meantBy(rootUri)).toBe(home);
  await writeFile(join(home, 'index.html'), '<p>');
  expect(await meantBy({ rootUri })).toBe(home);
});

test('an unreadable folder does not hide the others', async () => {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-directories-'));
  dirs.push(home);
  await writeFile(join(home, 'index.html'), '<p>');
  const gone = FakeUri.from({ scheme: 'memory', path: '/gone' }) as unknown as Uri;
  const there = FakeUri.file(home) as unknown as Uri;
  workspace.workspaceFolders = [gone, there].map((uri, index) => ({ uri, name: uri.path, index }));
  const unavailable = async () => {
    throw new Error('no connection');
  };
  const copies: Copies = { update: unavailable, take: unavailable, scan: unavailable, save: unavailable };
  expect(await createDirectories(copies, join(home, 'storage')).all()).toEqual([home]);
});

test('distinguishes folders of the same name in the picker', async () => {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-directories-'));
  dirs.push(home);
  const folders = ['north', 'south'].map((team) => join(home, team, 'report'));
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'index.html'), '<p>');
  }
  workspace.workspaceFolders = folders.map((path, index) => {
    const uri = FakeUri.file(path) as unknown as Uri;
    return { uri, name: 'report', index };
  });
  const pick = vi.spyOn(window, 'showQuickPick');
  await createDirectories(createCopies({} as never), undefined).meantBy(undefined);
  const [rows, options] = pick.mock.calls[0] as unknown as [{ description: string }[], object];
  pick.mockRestore();
  expect(rows.map(({ description }) => description)).toEqual(['north', 'south']);
  expect(options).toMatchObject({ matchOnDescription: true });
});

test('says that no folder is open: links and the walkthrough start commands that need one', async () => {
  recorded.reset();
  expect(await createDirectories(createCopies({} as never), undefined).meantBy(undefined)).toBeUndefined();
  expect(recorded.messages).toEqual(['No folder is open.']);
});

test.each(['*.csv', { '*.csv': true }, [1], 3])('refuses exclude patterns that are no list: %j', (set) => {
  const directories = createDirectories(createCopies({} as never), undefined);
  settings.set('exclude', set);
  expect(() => directories.excludeOf('/site')).toThrow('pressroom.exclude is not a list of patterns');
  settings.set('exclude', null);
  expect(directories.excludeOf('/site')).toEqual([]);
});
