// Covers the mark of a bucket: when the secret key is changed, and when its store is lost.
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { errors } from '@pressroom/api/contract';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { writeAuditHead } from '../audit/store.ts';
import type { Objects } from '../platform/blobs/s3/objects.ts';
import { openStorage } from '../platform/database/storage.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { claimBucket, markBucket } from './claim-bucket.ts';
import { loadConfig } from './config/load-config.ts';

test('a bucket belongs to the new key once a server has started with it, without the one before', async () => {
  let note: string | null = null;
  const objects = {
    async open() {
      if (note === null) throw errors.notFound();
      return { stream: Readable.from([note]), size: note.length };
    },
    put: async (_key: string, content: Readable) => void (note = await text(content)),
  } as unknown as Objects;
  const config = loadConfig({});
  await claimBucket(objects, createSecrets('the old key'), config);
  await claimBucket(objects, createSecrets('the new key', ['the old key']), config);
  await claimBucket(objects, createSecrets('the new key'), config);
  await expect(claimBucket(objects, createSecrets('the old key'), config)).rejects.toThrow('Storage.Prefix');
});

test('a stop does not wait for a store that no longer responds', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'pressroom-mark-'));
  await using storage = await openStorage(join(directory.path, 'pressroom.sqlite'));
  const { db } = storage;
  await writeAuditHead(db, { name: 'audit', seq: 7, mac: 'the end', seal: '' });
  const puts: string[] = [];
  const objects = {
    open: () => Promise.reject(errors.notFound()),
    async put(_key: string, content: Readable) {
      puts.push(await text(content));
      if (puts.length > 1) await new Promise(() => undefined);
    },
  } as unknown as Objects;
  const use = { objects, secrets: createSecrets('the key'), config: loadConfig({}), db };
  const log = pino({ level: 'silent' });
  const marked = await markBucket(use, { isFirst: async () => true, log });
  vi.useFakeTimers();
  try {
    const closed = marked[Symbol.asyncDispose]();
    await vi.waitUntil(() => puts.length === 2);
    await vi.advanceTimersByTimeAsync(5000);
    await closed;
  } finally {
    vi.useRealTimers();
  }
  expect(puts.map((note) => note.split('\n').slice(3))).toEqual([['7', 'the end', ''], []]);
});
