// Covers what wakes readers of the output of a task.
import { expect, test } from 'vitest';
import { createOutputEvents } from './output-events.ts';

const { signal } = new AbortController();
const LONG = 3_600_000;

test('new lines and the end wake readers of this task, not those of others', async () => {
  const output = createOutputEvents(() => false);
  const woken: string[] = [];
  const [one, two] = ['one', 'two'].map((id) =>
    output.next(id, LONG, signal).then(() => void woken.push(id)),
  );
  output.announce('one');
  await one;
  expect(woken).toEqual(['one']);
  output.announce(undefined);
  await two;
  expect(woken).toEqual(['one', 'two']);
});

test('readers of a task on another server look again by themselves, and end with their request', async () => {
  const output = createOutputEvents(() => true);
  await expect(output.next('one', LONG, signal)).resolves.toBeUndefined();
  const gone = new AbortController();
  const waiting = createOutputEvents(() => false).next('one', LONG, gone.signal);
  gone.abort();
  await expect(waiting).resolves.toBeUndefined();
});
