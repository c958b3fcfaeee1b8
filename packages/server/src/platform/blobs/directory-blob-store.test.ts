// Covers the directory store: archives are stored whole or not at all, and a crash leaves nothing permanent.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDirectoryBlobStore, type DirectoryBlobStore } from './directory-blob-store.ts';

let base: string;
let directory: string;
let store: DirectoryBlobStore;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'pressroom-blobs-'));
  directory = join(base, 'data', 'bundles');
  store = createDirectoryBlobStore(directory);
});

afterEach(() => rm(base, { recursive: true }));

async function keep(id: number, content: string | Buffer): Promise<void> {
  const temporary = await store.reserve();
  await writeFile(temporary.target, content);
  await store.commit(temporary, id);
}

const key = (id: number) => ({ id, blob: null });

const read = async (id: number) => (await buffer((await store.open(key(id))).stream)).toString();

describe('Directory blob store', () => {
  it('creates its directory with mode 700 and corrects the mode of an existing one', async () => {
    await store.reserve();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    await chmod(directory, 0o755);
    await createDirectoryBlobStore(directory).list();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('returns committed content byte for byte, with its size', async () => {
    const content = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));
    await keep(7, content);
    const { stream, size } = await store.open(key(7));
    expect([
      size,
      await store.size({ ...key(7), size: 0 }),
      await store.size({ ...key(8), size: 0 }),
    ]).toEqual([content.length, content.length, 0]);
    expect((await buffer(stream)).equals(content)).toBe(true);
    expect((await readFile(store.path(7))).equals(content)).toBe(true);
  });

  it('lists no blob before the commit and leaves no temporary file afterwards', async () => {
    const temporary = await store.reserve();
    await writeFile(temporary.target, 'half');
    expect(await store.list()).toEqual([]);
    await store.commit(temporary, 1);
    expect(await readdir(directory)).toEqual(['1.tar.gz']);
  });

  it('reserves a different path each time', async () => {
    expect((await store.reserve()).target).not.toBe((await store.reserve()).target);
  });

  it.each([
    [{ start: 0, end: 4 }, '0123'],
    [{ start: 3, end: 10 }, '3456789'],
    [{ start: 9, end: 10 }, '9'],
  ])('reads the range %j', async (range, part) => {
    await keep(1, '0123456789');
    const { stream, size } = await store.open(key(1), range);
    expect([(await buffer(stream)).toString(), size]).toEqual([part, 10]);
  });

  it.each([
    { start: 4, end: 4 },
    { start: 5, end: 4 },
    { start: -1, end: 4 },
  ])('rejects the range %j with error 13', async (range) => {
    await keep(1, '0123456789');
    await expect(store.open(key(1), range)).rejects.toMatchObject({ code: 13 });
  });

  it('finishes reading a blob that is removed meanwhile', async () => {
    await keep(1, 'content');
    const { stream } = await store.open(key(1));
    await store.remove(key(1));
    expect((await buffer(stream)).toString()).toBe('content');
    await expect(store.open(key(1))).rejects.toMatchObject({ code: 4 });
  });

  it('lists ids as numbers in ascending order', async () => {
    for (const id of [10, 9, 100, 1]) await keep(id, 'x');
    expect(await store.list()).toEqual([1, 9, 10, 100]);
  });

  it('ignores the removal and discard of missing blobs', async () => {
    await expect(store.remove(key(5))).resolves.toBeUndefined();
    await expect(store.discard(await store.reserve())).resolves.toBeUndefined();
  });

  it('discards a reserved file, but not one committed since', async () => {
    const temporary = await store.reserve();
    await writeFile(temporary.target, 'x');
    await store.discard(temporary);
    expect(await readdir(directory)).toEqual([]);
    await keep(1, 'x');
    await store.discard(temporary);
    expect(await store.list()).toEqual([1]);
  });

  it.each([0, -1, 1.5, NaN, Infinity, '../1' as unknown as number, '1' as unknown as number])(
    'rejects the id %j with error 3',
    async (id) => {
      const temporary = await store.reserve();
      await writeFile(temporary.target, 'x');
      expect(() => store.path(id)).toThrow(expect.objectContaining({ code: 3 }));
      await expect(store.open(key(id))).rejects.toMatchObject({ code: 3 });
      await expect(store.remove(key(id))).rejects.toMatchObject({ code: 3 });
      await expect(store.commit(temporary, id)).rejects.toMatchObject({ code: 3 });
    },
  );

  it('rejects paths that it did not reserve and leaves them unchanged', async () => {
    await store.reserve();
    const foreign = join(base, 'foreign.upload');
    await writeFile(foreign, 'x');
    await expect(store.discard({ blob: null, target: foreign })).rejects.toThrow('reserved');
    await expect(store.discard({ blob: null, target: join(directory, '1.tar.gz') })).rejects.toThrow(
      'reserved',
    );
    await expect(store.commit({ blob: null, target: foreign }, 1)).rejects.toMatchObject({ code: 134 });
    expect(await readFile(foreign, 'utf8')).toBe('x');
  });

  it('rejects the commit of a missing upload with error 134', async () => {
    await expect(store.commit(await store.reserve(), 1)).rejects.toMatchObject({ code: 134 });
  });

  it('rejects with error 134 while its directory cannot be created, and then recovers', async () => {
    await mkdir(join(base, 'data'));
    await writeFile(directory, 'in the way');
    await expect(store.reserve()).rejects.toMatchObject({ code: 134 });
    await rm(directory);
    await keep(1, 'x');
    expect(await read(1)).toBe('x');
  });
});

describe('Sweep after a crash', () => {
  it('removes interrupted uploads and archives without a row, and lists them', async () => {
    for (const id of [1, 2, 3]) await keep(id, String(id));
    const broken = await store.reserve();
    await writeFile(broken.target, 'half');
    const restarted = createDirectoryBlobStore(directory);
    const dropped = await restarted.sweep([1, 3, 4].map(key));
    expect(dropped.toSorted()).toEqual(['2.tar.gz', broken.target.slice(directory.length + 1)].toSorted());
    expect(await restarted.list()).toEqual([1, 3]);
    expect(await restarted.sweep([1, 3, 4].map(key))).toEqual([]);
  });

  it('ignores files that are not its own', async () => {
    await store.reserve();
    for (const name of ['notes.txt', '01.tar.gz', 'x.tar.gz', 'lost+found'])
      await writeFile(join(directory, name), 'x');
    expect(await store.sweep([])).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  it('finds nothing in an unused store', async () => {
    expect(await store.sweep([])).toEqual([]);
  });
});
