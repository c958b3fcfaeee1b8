// Checks that the browser replacements of Node.js modules behave like the originals.
import * as nodeCrypto from 'node:crypto';
import * as nodeFs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable as NodeReadable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHash, hash, randomBytes } from './crypto.ts';
import * as inMemory from './files.ts';
import { Readable } from './streams.ts';
import { aborted, promisify } from './util.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pressroom-platform-'));
  await inMemory.promises.mkdir(folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  ['on disk', nodeFs as unknown as typeof inMemory],
  ['in memory', inMemory],
])('Files %s', (name, fs) => {
  const at = (...parts: string[]) => join(folder, name.replace(' ', '-'), ...parts);

  test('are written, read, listed, moved and removed', async () => {
    const { promises } = fs;
    await promises.mkdir(at('a', 'b'), { recursive: true });
    await promises.writeFile(at('a', 'one.txt'), 'one');
    await promises.writeFile(at('a', 'two.txt'), Buffer.from('two'));
    const names = (await promises.readdir(at('a'))) as string[];
    expect(names.toSorted((a, b) => a.localeCompare(b))).toEqual(['b', 'one.txt', 'two.txt']);
    const kinds = (await promises.readdir(at('a'), { withFileTypes: true })) as unknown as nodeFs.Dirent[];
    expect(kinds.filter((entry) => entry.isDirectory()).map((entry) => entry.name)).toEqual(['b']);
    await promises.rename(at('a', 'two.txt'), at('a', 'b', 'three.txt'));
    expect(await promises.readFile(at('a', 'b', 'three.txt'), 'utf8')).toBe('two');
    await promises.utimes(at('a', 'one.txt'), new Date(), new Date(5000));
    const stats = await promises.lstat(at('a', 'one.txt'));
    expect([stats.size, stats.mtimeMs, stats.isFile()]).toEqual([3, 5000, true]);
    await promises.rm(at('a', 'b'), { recursive: true });
    await promises.rm(at('a', 'b'), { force: true });
    expect(await promises.readdir(at('a'))).toEqual(['one.txt']);
  });

  test('fail with the error codes of Node.js', async () => {
    const { promises } = fs;
    await promises.mkdir(at('folder'), { recursive: true });
    await promises.writeFile(at('file'), 'x');
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        (error: NodeJS.ErrnoException) => error.code,
      );
    expect(await codeOf(promises.stat(at('missing')))).toBe('ENOENT');
    expect(await codeOf(promises.readFile(at('missing', 'file')))).toBe('ENOENT');
    expect(await codeOf(promises.readdir(at('file')))).toBe('ENOTDIR');
    expect(await codeOf(promises.readFile(at('folder')))).toBe('EISDIR');
    expect(await codeOf(promises.mkdir(at('folder')))).toBe('EEXIST');
    expect(await codeOf(promises.mkdir(at('no', 'parent')))).toBe('ENOENT');
    expect(await codeOf(promises.open(at('file'), 'wx'))).toBe('EEXIST');
    expect(await codeOf(promises.rm(at('missing')))).toBe('ENOENT');
  });

  test('are read through a descriptor, and have another inode once replaced', async () => {
    await fs.promises.mkdir(at(), { recursive: true });
    await fs.promises.writeFile(at('read.txt'), 'abcdef');
    const descriptor = (fs.openSync as typeof nodeFs.openSync)(at('read.txt'), 'r');
    const target = Buffer.alloc(4);
    expect(fs.readSync(descriptor, target, 1, 3, 2)).toBe(3);
    expect(target.toString('latin1')).toBe('\0cde');
    expect(fs.readSync(descriptor, target, 0, 4, 6)).toBe(0);
    const before = fs.fstatSync(descriptor);
    expect(before.size).toBe(6);
    // While the descriptor is open, its inode number is not reused.
    await fs.promises.rm(at('read.txt'));
    await fs.promises.writeFile(at('read.txt'), 'abcdef');
    expect((await fs.promises.stat(at('read.txt'))).ino).not.toBe(before.ino);
    fs.closeSync(descriptor);
    expect(fs.readFileSync(at('read.txt'), 'utf8')).toBe('abcdef');
  });
});

test('rejects a workspace too large for a browser', async () => {
  const huge = { length: 600 * 1024 * 1024 } as Uint8Array;
  await expect(inMemory.promises.writeFile(join(folder, 'huge'), huge)).rejects.toThrow(
    /too large to publish from a browser/,
  );
});

test.each(['md5', 'sha256'] as const)('%s matches that of Node.js, whole and in pieces', (kind) => {
  const whole = nodeCrypto.hash(kind, 'straße', 'hex');
  expect(hash(kind, 'straße', 'hex')).toBe(whole);
  expect(createHash(kind).update('stra').update(Buffer.from('ße')).digest('hex')).toBe(whole);
  expect(randomBytes(6).toString('hex')).toMatch(/^[0-9a-f]{12}$/);
});

describe.each([
  ['Node.js', NodeReadable as unknown as typeof Readable],
  ['browsers', Readable],
])('Stream of %s', (_name, Stream) => {
  const pieces = (...texts: string[]) => texts.map((text) => Buffer.from(text));

  test('is read to its end and reports it', async () => {
    const stream = Stream.from(pieces('a', 'b'));
    const closed = new Promise((resolve) => stream.once('close', () => resolve(stream.readableEnded)));
    expect(Buffer.concat(await Array.fromAsync(stream)).toString()).toBe('ab');
    expect(await closed).toBe(true);
  });

  test('rejects its reader and ends its source when destroyed', async () => {
    const ended = Promise.withResolvers<string>();
    const asked = Promise.withResolvers<undefined>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yield Buffer.from('x');
          asked.resolve(undefined);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended.resolve('ended');
      }
    }
    const stream = Stream.from(endless());
    stream.on('error', () => undefined);
    const reading = Array.fromAsync(stream);
    await asked.promise;
    stream.destroy(new Error('cancelled'));
    await expect(reading).rejects.toThrow('cancelled');
    expect(await ended.promise).toBe('ended');
    expect([stream.readableEnded, String(stream.errored)]).toEqual([false, 'Error: cancelled']);
  });

  test('fails with the error of its source', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
      throw new Error('changed');
    }
    const stream = Stream.from(failing());
    const told = new Promise((resolve) => stream.on('error', resolve));
    await expect(Array.fromAsync(stream)).rejects.toThrow('changed');
    expect(String(await told)).toBe('Error: changed');
  });
});

test('promisify without a function fails when called, and aborted awaits its signal', async () => {
  await expect(promisify(undefined)()).rejects.toThrow('There is no Node.js here.');
  const stop = new AbortController();
  const waiting = aborted(stop.signal);
  stop.abort();
  await waiting;
});
