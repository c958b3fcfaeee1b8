// Covers the comparison of bundles: several people at a time, and damaged archives.
import { Readable } from 'node:stream';
import { makeArchive } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { compareBundles } from './compare-bundles.ts';

const stream = (archive: Buffer) => Promise.resolve(Readable.from([archive]));

test('compares files and lines', async () => {
  const [before, after] = [makeArchive({ 'app.R': 'a\nb' }), makeArchive({ 'app.R': 'a\nc' })];
  const { files } = await compareBundles('ada', (which) => stream(which === 'before' ? before : after));
  expect(files).toMatchObject([{ path: 'app.R', change: 'changed', counts: { added: 1, removed: 1 } }]);
});

test("a person's further comparisons wait until those of others had a turn", async () => {
  const asked: string[] = [];
  const archive = makeArchive({ 'app.R': 'a' });
  const compare = (person: string) =>
    compareBundles(person, (which) => {
      if (which === 'before') asked.push(person);
      return stream(archive);
    });
  await Promise.all(['ada', 'ada', 'ben'].map(compare));
  expect(asked).toEqual(['ada', 'ben', 'ada']);
});

test('rejects a damaged archive with error 135', async () => {
  const broken = compareBundles('ada', () => stream(Buffer.from('no archive')));
  await expect(broken).rejects.toMatchObject({
    code: 135,
    message: expect.stringContaining('cannot be read'),
  });
});
