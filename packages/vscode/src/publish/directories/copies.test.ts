import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Uri } from 'vscode';
import { createMemoryFs, Uri as FakeUri } from '../../testing/fake-vscode.ts';
import { createCopies } from './copies.ts';

const RECORD = '.pressroom/deployments/page.toml';
const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

async function setup(files: Record<string, string>, options: { writable?: boolean; times?: boolean } = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'pressroom-copies-'));
  dirs.push(parent);
  const fs = createMemoryFs(files, options);
  const copies = createCopies(fs.api);
  const copy = join(parent, 'copy');
  const original = FakeUri.from({ scheme: 'memory', path: '/' }) as unknown as Uri;
  return {
    fs,
    copy,
    update: (how?: Parameters<typeof copies.update>[2]) => copies.update(original, copy, how),
    take: (name = '', how?: Parameters<typeof copies.take>[2]) =>
      copies.take(FakeUri.joinPath(original, name) as unknown as Uri, join(copy, name), how),
    scan: (how?: Parameters<typeof copies.scan>[2]) => copies.scan(original, copy, how),
    save: () => copies.save(copy, original),
    text: (file: string) => readFile(join(copy, file), 'utf8'),
    names: async (directory = '') => (await readdir(join(copy, directory))).toSorted(),
  };
}

test('copies what would be published and follows changes, additions and deletions', async () => {
  const { fs, update, text, names } = await setup({
    'index.html': '<p>',
    'data/a.csv': '1',
    'data/b.csv': '2',
  });
  expect(await update()).toEqual([]);
  expect(await text('data/a.csv')).toBe('1');
  fs.write('index.html', '<h1>');
  fs.remove('data/b.csv');
  fs.write('new/c.csv', '3');
  await update();
  expect(await text('index.html')).toBe('<h1>');
  expect(await names('data')).toEqual(['a.csv']);
  expect(await text('new/c.csv')).toBe('3');
});

test('reads only changed files, and all files without modification times', async () => {
  const timed = await setup({ 'index.html': '<p>', 'a.csv': '1' });
  await timed.update();
  timed.fs.write('a.csv', '2');
  timed.fs.reads.length = 0;
  await timed.update();
  expect(timed.fs.reads).toEqual(['/a.csv']);
  const untimed = await setup({ 'index.html': '<p>' }, { times: false });
  await untimed.update();
  untimed.fs.reads.length = 0;
  await untimed.update();
  expect(untimed.fs.reads).toEqual(['/index.html']);
});

test('lists secrets, libraries and excluded files by name without reading them', async () => {
  const { fs, update, names, text } = await setup({
    'index.html': '<p>',
    '.env': 'KEY=1',
    'node_modules/x/index.js': 'x',
    '.git/config': 'x',
    'raw/big.csv': '1',
    'notes.tmp': 'x',
    'data/keep.csv': '1',
    'data/.pressroomignore': '*.tmp',
    'data/drop.tmp': 'x',
    '.pressroomignore': '/raw/',
  });
  await update({ exclude: ['/data/keep.csv'] });
  expect(fs.reads.toSorted()).toEqual([
    '/.pressroomignore',
    '/data/.pressroomignore',
    '/index.html',
    '/notes.tmp',
  ]);
  expect(await names()).toEqual(
    ['.env', '.git', '.pressroomignore', 'data', 'index.html', 'node_modules', 'notes.tmp', 'raw'].toSorted(),
  );
  expect(await text('.env')).toBe('');
  expect(await names('node_modules')).toEqual([]);
});

test('excludes links and names that lead elsewhere, and reports them', async () => {
  const { fs, update, names } = await setup({ 'index.html': '<p>' });
  fs.list('/', [
    ['..', 1],
    ['../../escape', 1],
    ['a\\b', 1],
    ['link', 65],
    ['linked', 66],
  ]);
  expect(await update()).toHaveLength(5);
  expect(await names()).toEqual(['index.html']);
  expect(await names('../..')).not.toContain('escape');
});

test('scans only the top level on request', async () => {
  const { fs, scan, update, names } = await setup({ 'app.R': 'x', 'R/a.R': '1', [RECORD]: 'a' });
  await scan({ shallow: true });
  expect(fs.reads.toSorted()).toEqual([`/${RECORD}`, '/app.R']);
  await update();
  expect(await names('R')).toEqual(['a.R']);
  await scan({ shallow: true });
  expect(await names('R')).toEqual(['a.R']);
});

test('writes records back and removes only those seen before', async () => {
  const { fs, copy, update, save } = await setup({ 'index.html': '<p>', [RECORD]: 'old' });
  await update();
  await writeFile(join(copy, RECORD), 'new');
  await writeFile(join(copy, '.pressroom/deployments/other.toml'), 'other');
  await writeFile(join(copy, '.pressroomignore'), '/raw/');
  fs.write('.pressroomignore', '/data/');
  await save();
  expect(fs.text(RECORD)).toBe('new');
  expect(fs.text('.pressroom/deployments/other.toml')).toBe('other');
  expect(fs.text('.pressroomignore')).toBe('/data/');
  fs.write('.pressroom/deployments/colleague.toml', 'theirs');
  await rm(join(copy, '.pressroom/deployments/other.toml'));
  await save();
  expect(fs.text('.pressroom/deployments/other.toml')).toBeUndefined();
  expect(fs.text('.pressroom/deployments/colleague.toml')).toBe('theirs');
});

test('does not remove records that cannot be read in the copy', async () => {
  const { fs, copy, update, save } = await setup({ 'index.html': '<p>', [RECORD]: 'old' });
  await update();
  await rm(join(copy, '.pressroom/deployments'), { recursive: true });
  await writeFile(join(copy, '.pressroom/deployments'), 'no folder');
  await expect(save()).rejects.toThrow('ENOTDIR');
  expect(fs.text(RECORD)).toBe('old');
});

test('keeps records in the copy of a read-only folder', async () => {
  const { fs, copy, update, save, text } = await setup({ 'index.html': '<p>' }, { writable: false });
  await update();
  await mkdir(join(copy, '.pressroom/deployments'), { recursive: true });
  await writeFile(join(copy, RECORD), 'mine');
  await save();
  expect(fs.text(RECORD)).toBeUndefined();
  await update();
  expect(await text(RECORD)).toBe('mine');
});

test('keeps the record of a read-only folder until a newer one appears there', async () => {
  const { fs, copy, update, text } = await setup(
    { 'index.html': '<p>', [RECORD]: 'one' },
    { writable: false },
  );
  await update();
  await writeFile(join(copy, RECORD), 'two');
  await update();
  expect(await text(RECORD)).toBe('two');
  fs.write(RECORD, 'three, of a colleague', Date.now() + 60_000);
  await update();
  expect(await text(RECORD)).toBe('three, of a colleague');
});

test('keeps an unsaved record, also in the next window, and saves it once possible', async () => {
  const { fs, copy, update, save, text } = await setup({ 'index.html': '<p>' });
  await update();
  await mkdir(join(copy, '.pressroom/deployments'), { recursive: true });
  await writeFile(join(copy, RECORD), 'mine');
  fs.refuse(true);
  await expect(save()).rejects.toMatchObject({ code: 'NoPermissions' });
  await update();
  expect(await text(RECORD)).toBe('mine');
  // Another window has nothing in memory.
  const next = createCopies(fs.api);
  const original = FakeUri.from({ scheme: 'memory', path: '/' }) as unknown as Uri;
  await next.scan(original, copy, { shallow: true });
  expect(await text(RECORD)).toBe('mine');
  fs.refuse(false);
  await next.scan(original, copy, { shallow: true });
  expect(fs.text(RECORD)).toBe('mine');
});

test('removes a record that was deleted in the folder, also in the next window', async () => {
  const { fs, copy, update, names } = await setup({ 'index.html': '<p>', [RECORD]: 'one' });
  await update();
  fs.remove(RECORD);
  const original = FakeUri.from({ scheme: 'memory', path: '/' }) as unknown as Uri;
  await createCopies(fs.api).update(original, copy);
  expect(await names('.pressroom/deployments')).toEqual([]);
  expect(fs.text(RECORD)).toBeUndefined();
});

test('removes a withdrawn new record and does not undo changes of colleagues', async () => {
  const { fs, copy, update, save, text } = await setup({ 'index.html': '<p>', [RECORD]: 'one' });
  await update();
  await writeFile(join(copy, '.pressroom/deployments/new.toml'), 'new');
  await save();
  await rm(join(copy, '.pressroom/deployments/new.toml'));
  fs.write(RECORD, 'two, of a colleague');
  await save();
  expect(fs.text('.pressroom/deployments/new.toml')).toBeUndefined();
  expect(fs.text(RECORD)).toBe('two, of a colleague');
  await update();
  expect(await text(RECORD)).toBe('two, of a colleague');
});

test('leaves files unchanged during an upload and updates them afterwards', async () => {
  const { fs, scan, take, text } = await setup({ 'index.html': '<p>' });
  const { release } = await take();
  fs.write('index.html', '<h1>');
  expect(await scan()).toBe(false);
  expect(await text('index.html')).toBe('<p>');
  release();
  expect(await scan()).toBe(true);
  expect(await text('index.html')).toBe('<h1>');
  const next = await take();
  // A second release of the first upload does not end the next one.
  release();
  expect(await scan()).toBe(false);
  next.release();
});

test('an upload waits for those of directories above and below, and then reads anew', async () => {
  for (const [first, second] of [
    ['app', ''],
    ['', 'app'],
  ] as const) {
    const { fs, take, text } = await setup({ 'index.html': '<p>', 'app/app.R': '1', 'app/R/a.R': '1' });
    const earlier = await take(first);
    const stages: string[] = [];
    const later = take(second, { show: (stage) => stages.push(stage) });
    fs.write('app/app.R', '2');
    fs.reads.length = 0;
    expect(stages).toEqual([expect.stringContaining('Waiting for the upload')]);
    expect(await text('app/app.R')).toBe('1');
    earlier.release();
    const { release } = await later;
    expect(await text('app/app.R')).toBe('2');
    expect(await text('app/R/a.R')).toBe('1');
    expect(stages).toEqual([expect.stringContaining('Waiting for the upload'), 'Reading files…']);
    release();
  }
});

test('cancelling the wait for an upload takes nothing', async () => {
  const { take } = await setup({ 'index.html': '<p>', 'app/app.R': '1' });
  const { release } = await take('app');
  const cancel = new AbortController();
  const waiting = take('', { signal: cancel.signal });
  cancel.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  release();
  (await take('')).release();
});

test('runs two scans of the same files one after the other', async () => {
  const { fs, update, scan } = await setup({ 'index.html': '<p>' });
  const steps: string[] = [];
  const { readDirectory, readFile: read } = fs.api;
  fs.api.readDirectory = (uri) => (steps.push('list'), readDirectory(uri));
  fs.api.readFile = (uri) => (steps.push('read'), read(uri));
  await Promise.all([update(), scan({ shallow: true }), update()]);
  expect(steps).toEqual(['list', 'read', 'list', 'list']);
});

test('a folder that does not respond does not block others', async () => {
  const { fs, take } = await setup({ 'slow/index.html': '<p>', 'quick/index.html': '<p>' });
  const { readDirectory } = fs.api;
  const { promise, resolve } = Promise.withResolvers<void>();
  fs.api.readDirectory = async (uri) => {
    if (uri.path === '/slow') await promise;
    return readDirectory(uri);
  };
  const slow = take('slow');
  const quick = await take('quick');
  expect(quick.lacks).toEqual([]);
  resolve();
  (await slow).release();
});

test('a scan without modification times does not read the whole directory again', async () => {
  const { fs, scan, update, text } = await setup({ 'index.html': '<p>' }, { times: false });
  await update();
  fs.write('index.html', '<h1>');
  fs.reads.length = 0;
  expect(await scan()).toBe(false);
  expect(fs.reads).toEqual([]);
  await update();
  expect(await text('index.html')).toBe('<h1>');
});

test('rejects a file too large for memory unless it is excluded', async () => {
  const { fs, update } = await setup({ 'index.html': '<p>', 'big.bin': '' });
  fs.grow('big.bin', 101 * 1024 * 1024);
  await expect(update()).rejects.toThrow('big.bin is too large');
  await update({ exclude: ['big.bin'] });
  expect(fs.reads).not.toContain('/big.bin');
});
