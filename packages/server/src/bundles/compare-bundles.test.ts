// Covers the comparison of bundles when an archive is damaged.
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { compareBundles } from './compare-bundles.ts';

test('compareBundles rejects a damaged archive with error 135', async () => {
  const broken = compareBundles(() => Promise.resolve(Readable.from([Buffer.from('no archive')])));
  await expect(broken).rejects.toMatchObject({
    code: 135,
    message: expect.stringContaining('cannot be read'),
  });
});
