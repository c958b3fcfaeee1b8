// Covers the mark of a bucket when the secret key is changed.
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { errors } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import type { Objects } from '../platform/blobs/s3/objects.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { claimBucket } from './claim-bucket.ts';
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
