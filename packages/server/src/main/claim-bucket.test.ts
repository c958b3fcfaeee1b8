// Covers the mark of a bucket: when the secret key is changed, when its store is lost, and when a copy uses it, too.
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

/** With the mark as its only object. */
function emptyBucket() {
  const bucket: { note: string | null; objects: Objects } = {
    note: null,
    objects: {
      async open() {
        if (bucket.note === null) throw errors.notFound();
        return { stream: Readable.from([bucket.note]), size: bucket.note.length };
      },
      put: async (_key: string, content: Readable) => void (bucket.note = await text(content)),
    } as unknown as Objects,
  };
  return bucket;
}

test('a bucket belongs to the new key once a server has started with it, without the one before', async () => {
  const { objects } = emptyBucket();
  const config = loadConfig({});
  await claimBucket(objects, createSecrets('the old key'), config);
  await claimBucket(objects, createSecrets('the new key', ['the old key']), config);
  await claimBucket(objects, createSecrets('the new key'), config);
  await expect(claimBucket(objects, createSecrets('the old key'), config)).rejects.toThrow('Storage.Prefix');
});

async function openDatabase() {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await mkdtempDisposable(join(tmpdir(), 'pressroom-mark-')));
  const { db } = stack.use(await openStorage(join(directory.path, 'pressroom.sqlite')));
  await writeAuditHead(db, { name: 'audit', seq: 7, mac: 'the end', seal: '' });
  const opened = stack.move();
  return { db, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

test('a stop does not wait for a store that no longer responds', async () => {
  await using database = await openDatabase();
  const { db } = database;
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

test('a server says that another copy of the database uses the bucket, and is seen by that one', async () => {
  await using database = await openDatabase();
  const { db } = database;
  const secrets = createSecrets('the key');
  const bucket = emptyBucket();
  const { objects } = bucket;
  const use = { objects, secrets, config: loadConfig({}), db };
  await claimBucket(objects, secrets, use.config);
  const ofKey = bucket.note!;
  const logged: string[] = [];
  const log = pino({}, { write: (line) => logged.push(line) });
  bucket.note = `${ofKey}${Date.now()}\n8\nan entry of the copy\n`;
  await using _marked = await markBucket(use, { isFirst: async () => true, log });
  expect(logged).toEqual([expect.stringContaining('servers of another copy of this database use')]);
  expect(bucket.note.slice(ofKey.length)).toMatch(/^\d+\n7\nthe end\n$/);
});
