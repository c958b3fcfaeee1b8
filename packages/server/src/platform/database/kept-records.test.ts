// Covers cached records, and a single read for concurrent callers.
import { expect, it } from 'vitest';
import { createKeptRecords } from './kept-records.ts';

/** Creates records whose reads the test resolves. */
function start() {
  const elsewhere = { now: 1 };
  const records = createKeptRecords<{ text: string }>(
    { generationElsewhere: () => elsewhere.now },
    { max: 9 },
  );
  const readings: ((text: string) => void)[] = [];
  const begun: (() => void)[] = [];
  const get = () =>
    records.get('key', () => {
      begun.shift()?.();
      return new Promise((resolve) => readings.push((text) => resolve({ text })));
    });
  /** Requests a value, and resolves once its read has begun. */
  const ask = async () => {
    const reads = new Promise<void>((resolve) => begun.push(resolve));
    const value = get();
    await reads;
    return { value };
  };
  return { elsewhere, records, readings, get, ask };
}

it('concurrent readers share one read when nothing was written', async () => {
  const { readings, get, ask } = start();
  const first = await ask();
  const second = get();
  await Promise.resolve();
  readings[0]!('read once');
  expect(await first.value).toBe(await second);
  expect(readings).toHaveLength(1);
});

it('a read after a write of another server does not return the older value', async () => {
  const { elsewhere, readings, ask } = start();
  const first = await ask();
  elsewhere.now = 2;
  const second = await ask();
  readings[1]!('new');
  readings[0]!('old');
  expect(await second.value).toEqual({ text: 'new' });
  expect(await first.value).toEqual({ text: 'old' });
});

it('a read after a local drop does not return the older value', async () => {
  const { records, readings, ask } = start();
  const first = await ask();
  records.drop('key');
  const second = await ask();
  readings[1]!('new');
  expect(await second.value).toEqual({ text: 'new' });
  // The first caller does not get the older value either.
  readings[0]!('old');
  expect(await first.value).toEqual({ text: 'new' });
});
