// Behaviour of every archive store, tested on a directory and on S3; and additional tests of S3.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { loadConfig } from '@pressroom/server';
import { testLog, type Bucket } from '@pressroom/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBlobs, openS3 } from '../../../packages/server/src/main/open-blobs.ts';
import type { BlobKey, BlobStore } from '../../../packages/server/src/platform/blobs/blob-store.ts';
import { createSecrets } from '../../../packages/server/src/platform/secrets/secrets.ts';
import { startRelay } from '../relay.ts';

/** More than three parts, and not a multiple of the part size. */
const LARGE = 26 * 2 ** 20 + 12_345;

export function testBlobs(makeBucket: () => Promise<Bucket>): void {
  describe.each(['directory', 's3'])('Archives in %s', (kind) => {
    let stack: AsyncDisposableStack;
    let store: BlobStore;
    let ids = 0;
    beforeEach(async () => {
      stack = new AsyncDisposableStack();
      const directory = await mkdtemp(join(tmpdir(), 'pressroom-blobs-'));
      stack.defer(() => rm(directory, { recursive: true }));
      const more = kind === 's3' ? (await makeBucket()).settings : {};
      const config = loadConfig({}, { 'Server.DataDir': directory, ...more });
      const secrets = createSecrets(config['Secrets.Key'] || 'a key for a directory');
      store = (await openBlobs({ config, secrets, log: testLog() }, stack)).blobs;
    });
    afterEach(() => stack.disposeAsync());

    async function keep(content: Buffer): Promise<BlobKey & { size: number }> {
      const made = await store.reserve();
      await writeTo(made.target, content);
      ids += 1;
      await store.commit(made, ids);
      return { id: ids, blob: made.blob, size: content.length };
    }

    async function writeTo(target: Awaited<ReturnType<BlobStore['reserve']>>['target'], content: Buffer) {
      if (typeof target === 'string') return writeFile(target, content);
      for (let at = 0; at < content.length; at += 65_536)
        await target.write(content.subarray(at, at + 65_536));
      await target.finish();
    }

    const read = async (key: BlobKey, range?: { start: number; end: number }) =>
      buffer((await store.open(key, range)).stream);

    test('reports whether it has archives, ignoring uploads in progress', async () => {
      expect(await store.hasSome()).toBe(false);
      const reserved = await store.reserve();
      if (typeof reserved.target === 'string') await writeFile(reserved.target, 'half');
      expect(await store.hasSome()).toBe(false);
      const key = await keep(Buffer.from('archive'));
      expect(await store.hasSome()).toBe(true);
      await store.remove(key);
      expect(await store.hasSome()).toBe(false);
    });

    test('names archives that are missing', async () => {
      const [first, second] = [await keep(Buffer.from('first')), await keep(Buffer.from('second'))];
      expect(await store.missing([first, second])).toEqual([]);
      await store.remove(first);
      expect(await store.missing([first, second])).toEqual([first.id]);
      await store.remove(second);
    });

    test('returns stored archives completely and in ranges, with their size', async () => {
      const content = randomBytes(LARGE);
      const key = await keep(content);
      expect((await read(key)).equals(content)).toBe(true);
      const range = { start: 8 * 2 ** 20 - 3, end: 8 * 2 ** 20 + 5 };
      expect((await read(key, range)).equals(content.subarray(range.start, range.end))).toBe(true);
      const opened = await store.open(key, range);
      opened.stream.destroy();
      expect([opened.size, await store.size(key)]).toEqual([LARGE, LARGE]);
    });

    test('an incomplete archive is not readable, and is discarded without a trace', async () => {
      const made = await store.reserve();
      if (typeof made.target === 'string') await writeFile(made.target, 'half');
      else await made.target.write(randomBytes(9 * 2 ** 20));
      expect(await store.sweep([])).toEqual(kind === 's3' ? [] : [expect.stringContaining('.upload')]);
      await store.discard(made);
      await expect(read({ id: 1, blob: made.blob })).rejects.toMatchObject({ code: 4 });
    });

    test('removing twice succeeds; removed archives, invalid ranges and ids return errors', async () => {
      const key = await keep(Buffer.from('0123456789'));
      await expect(read(key, { start: 5, end: 5 })).rejects.toMatchObject({ code: 13 });
      await expect(read({ ...key, id: 0 })).rejects.toMatchObject({ code: 3 });
      await store.remove(key);
      await store.remove(key);
      await expect(read(key)).rejects.toMatchObject({ code: 4 });
    });
  });

  test('a finished upload whose bundle was rejected leaves no object in the bucket', async () => {
    const bucket = await makeBucket();
    using store = await openS3(loadConfig({}, bucket.settings), testLog());
    const made = await store.reserve();
    if (typeof made.target === 'string') throw new Error('a path in S3');
    await made.target.write(Buffer.from('whole'));
    await made.target.finish();
    expect(await bucket.keys()).toEqual([`bundles/${made.blob}`]);
    await store.discard(made);
    expect(await bucket.keys()).toEqual([]);
  });

  test('an upload that loses its store fails in time, and is cleaned up later', async () => {
    const { settings, keys, uploads } = await makeBucket();
    await using relay = await startRelay(settings['Storage.Endpoint']!);
    const config = loadConfig({}, { ...settings, 'Storage.Endpoint': relay.url.replace(/\/$/, '') });
    using store = await openS3(config, testLog());
    const { target } = await store.reserve();
    if (typeof target === 'string') throw new Error('a path in S3');
    const megabyte = randomBytes(2 ** 20);
    for (let i = 0; i < 12; i++) await target.write(megabyte);
    await expect.poll(uploads).toHaveLength(1);
    relay.refuse(true);
    // The sender is not blocked for ever.
    for (let i = 0; i < 60; i++) await target.write(megabyte);
    await expect(target.finish()).rejects.toMatchObject({ code: 134, status: 503, retryAfter: 5 });
    expect([target.failed(), await keys()]).toEqual([true, []]);
    relay.refuse(false);
    expect(await store.sweepUploads((Date.now() + 60_000) * 1000)).toHaveLength(1);
    expect(await uploads()).toEqual([]);
  });

  test('the sweep keeps new objects whose row another server may be writing', async () => {
    const bucket = await makeBucket();
    using store = await openS3(loadConfig({}, bucket.settings), testLog());
    await store.objects.put('bundles/7.tar.gz', Readable.from([Buffer.from('x')]));
    expect(await store.sweep([])).toEqual([]);
    expect(await bucket.keys()).toEqual(['bundles/7.tar.gz']);
  });

  test('keys start with the prefix, and other prefixes do not list them', async () => {
    const { settings, keys } = await makeBucket();
    using store = await openS3(loadConfig({}, { ...settings, 'Storage.Prefix': 'one/' }), testLog());
    using other = await openS3(loadConfig({}, { ...settings, 'Storage.Prefix': 'two/' }), testLog());
    await store.objects.put('bundles/7.tar.gz', Readable.from([Buffer.from('x')]));
    expect(await keys()).toEqual(['one/bundles/7.tar.gz']);
    expect(await store.objects.list('')).toMatchObject([{ key: 'bundles/7.tar.gz' }]);
    expect(await other.objects.list('')).toEqual([]);
  });
}
