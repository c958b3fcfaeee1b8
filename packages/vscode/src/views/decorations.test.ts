import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRecord } from '@pressroom/api/publish';
import { afterEach, expect, test } from 'vitest';
import type { CancellationToken, FileDecoration, Uri } from 'vscode';
import { createCopies } from '../publish/directories/copies.ts';
import { createDirectories } from '../publish/directories/directories.ts';
import type { BundleContents } from '../store/bundle-contents.ts';
import { type FileChange, type FileChanges, watchFiles } from '../store/file-changes.ts';
import { createMemory } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import {
  createMemoryFs,
  EventEmitter,
  fileChanges,
  Uri as FakeUri,
  workspace,
} from '../testing/fake-vscode.ts';
import { createDecorations } from './decorations.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  workspace.workspaceFolders = [];
  for (const end of ends.splice(0)) await end();
});

const uriOf = (scheme: string, path: string) => FakeUri.from({ scheme, path }) as unknown as Uri;

/** A store in which the target never changes. */
const NEVER = { onDidActivate: new EventEmitter<string>().event as Store['onDidActivate'] };

/** Sets up a folder that is not on disk, fully scanned. */
async function setup() {
  const storage = await mkdtemp(join(tmpdir(), 'pressroom-decorations-'));
  const fs = createMemoryFs({ 'site/index.html': '<p>', 'site/data/a.csv': '1' });
  const site = uriOf('memory', '/site');
  workspace.workspaceFolders = [{ uri: site, name: 'site', index: 0 }];
  const directories = createDirectories(createCopies(fs.api), storage);
  const contents: BundleContents = {
    get: async () => undefined,
    keep: async () => undefined,
    onDidKeep: new EventEmitter<undefined>().event as BundleContents['onDidKeep'],
  };
  const changes = watchFiles(directories);
  const memory = createMemory(undefined);
  const decorations = createDecorations(directories, contents, memory, changes, NEVER);
  ends.push(
    () => decorations.dispose(),
    () => changes.dispose(),
    () => rm(storage, { recursive: true }),
  );
  const dir = directories.pathOf(site)!;
  await directories.update(dir);
  await decorations.scan();
  fs.lists.length = 0;
  return {
    fs,
    dir,
    directories,
    decorations,
    /** Reports a change as the editor does, and scans. */
    change: (uri: Uri) => {
      fileChanges.fire(uri);
      return decorations.scan();
    },
    mark: (file: string) =>
      (
        decorations.provideFileDecoration(uriOf('memory', `/site/${file}`), {} as CancellationToken) as
          | FileDecoration
          | undefined
      )?.badge,
  };
}

test('rereads a virtual folder only when something in it changed', async () => {
  const { fs, change, decorations, mark } = await setup();
  expect(mark('index.html')).toBe('↑');
  fs.write('site/new.txt', 'x');
  await decorations.scan();
  await change(uriOf('file', '/site/other.txt'));
  await change(uriOf('memory', '/other/other.txt'));
  expect(fs.lists).toEqual([]);
  expect(mark('index.html')).toBe('↑');
  await change(uriOf('memory', '/site/new.txt'));
  expect(fs.lists).toEqual(['/site', '/site/data']);
  expect(mark('new.txt')).toBe('↑');
  await decorations.scan();
  expect(fs.lists).toHaveLength(2);
});

test('a refresh rereads the folder, whatever has been reported as changed', async () => {
  const { fs, decorations, mark } = await setup();
  fs.write('site/new.txt', 'x');
  await decorations.refresh();
  expect(mark('new.txt')).toBe('↑');
});

test('marks changes made during an upload after it', async () => {
  const { fs, dir, directories, change, decorations, mark } = await setup();
  const { release } = await directories.take(dir, {});
  fs.write('site/new.txt', 'x');
  await change(uriOf('memory', '/site/new.txt'));
  expect(mark('new.txt')).toBeUndefined();
  expect(mark('index.html')).toBe('↑');
  release();
  await decorations.scan();
  expect(mark('new.txt')).toBe('↑');
});

test('updates the mark of a saved file without walking other files', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-decorations-'));
  ends.push(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'index.html'), '<p>');
  const record = {
    server: 'https://x',
    guid: 'cccccccc-0000-4000-8000-000000000009',
    name: 'page',
    app_mode: 'static',
    entrypoint: 'index.html',
    bundle_id: '1',
    deployed_time: '2026-01-01T00:00:00Z',
  };
  await writeRecord(dir, record);
  const folder = uriOf('file', dir);
  workspace.workspaceFolders = [{ uri: folder, name: 'site', index: 0 }];
  const md5 = createHash('md5').update('<p>').digest('hex');
  const contents: BundleContents = {
    get: async () => new Map([['index.html', { md5, size: 3 }]]),
    keep: async () => undefined,
    onDidKeep: new EventEmitter<undefined>().event as BundleContents['onDidKeep'],
  };
  const directories = createDirectories(createCopies({} as never), undefined);
  const changes = new EventEmitter<FileChange>();
  const onDidChange = changes.event as FileChanges['onDidChange'];
  const decorations = createDecorations(
    directories,
    contents,
    createMemory(undefined),
    { onDidChange },
    NEVER,
  );
  ends.push(() => decorations.dispose());
  await decorations.scan();
  const mark = (file: string) =>
    (
      decorations.provideFileDecoration(uriOf('file', join(dir, file)), {} as CancellationToken) as
        | FileDecoration
        | undefined
    )?.badge;
  const told = new Promise((resolve) => decorations.onDidChangeFileDecorations!(resolve));
  await writeFile(join(dir, 'index.html'), '<q>');
  await writeFile(join(dir, 'unseen.txt'), 'a walk would find this');
  const file = join(dir, 'index.html');
  changes.fire({ uri: uriOf('file', file), file, kind: 'changed' });
  expect(await told).toMatchObject({ path: file });
  expect([mark('index.html'), mark('unseen.txt')]).toEqual(['●', undefined]);
});

test('shows the marks of the active target, also after another one is chosen', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-decorations-'));
  ends.push(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'index.html'), '<p>');
  const staging = { server: 'https://x', guid: 'cccccccc-0000-4000-8000-000000000001' };
  const production = { server: 'https://x', guid: 'cccccccc-0000-4000-8000-000000000002' };
  for (const [content, year] of [
    [staging, 2026],
    [production, 2025],
  ] as const)
    await writeRecord(dir, {
      ...content,
      name: 'page',
      app_mode: 'static',
      entrypoint: 'index.html',
      bundle_id: '1',
      deployed_time: `${year}-01-01T00:00:00Z`,
    });
  workspace.workspaceFolders = [{ uri: uriOf('file', dir), name: 'site', index: 0 }];
  const md5 = createHash('md5').update('<p>').digest('hex');
  const contents: BundleContents = {
    get: async ({ guid }) =>
      new Map([['index.html', { md5: guid === staging.guid ? md5 : '0'.repeat(32), size: 3 }]]),
    keep: async () => undefined,
    onDidKeep: new EventEmitter<undefined>().event as BundleContents['onDidKeep'],
  };
  const directories = createDirectories(createCopies({} as never), undefined);
  const memory = createMemory(undefined);
  const changes = watchFiles(directories);
  const chosen = new EventEmitter<string>();
  const decorations = createDecorations(directories, contents, memory, changes, {
    onDidActivate: chosen.event as Store['onDidActivate'],
  });
  ends.push(
    () => decorations.dispose(),
    () => changes.dispose(),
  );
  await decorations.scan();
  const mark = () =>
    (
      decorations.provideFileDecoration(uriOf('file', join(dir, 'index.html')), {} as CancellationToken) as
        | FileDecoration
        | undefined
    )?.badge;
  expect(mark()).toBeUndefined();
  const told = new Promise((resolve) => decorations.onDidChangeFileDecorations!(resolve));
  memory.aim(dir, production);
  chosen.fire(dir);
  await told;
  expect(mark()).toBe('●');
});

test('marks files that an own manifest.json does not list as excluded', async () => {
  const { fs, change, mark } = await setup();
  const manifest = {
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    files: { 'index.html': { checksum: '' } },
  };
  fs.write('site/manifest.json', JSON.stringify(manifest));
  await change(uriOf('memory', '/site/manifest.json'));
  expect([mark('index.html'), mark('data/a.csv')]).toEqual(['↑', '–']);
  fs.write('site/manifest.json', JSON.stringify({ ...manifest, files: {} }));
  await change(uriOf('memory', '/site/manifest.json'));
  expect([mark('index.html'), mark('data/a.csv')]).toEqual(['↑', '↑']);
});
