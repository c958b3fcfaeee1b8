// Covers what wakes readers of the output of a task.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NO_EVENTS } from '../platform/database/events.ts';
import { createOutputEvents, type OutputEvents } from './output-events.ts';

const { signal } = new AbortController();
const LONG = 3_600_000;

test('new lines and the end wake readers of this task, not those of others', async () => {
  const output = createOutputEvents(() => false, NO_EVENTS);
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
  const output = createOutputEvents(() => true, NO_EVENTS);
  await expect(output.next('one', LONG, signal)).resolves.toBeUndefined();
  const gone = new AbortController();
  const waiting = createOutputEvents(() => false, NO_EVENTS).next('one', LONG, gone.signal);
  gone.abort();
  await expect(waiting).resolves.toBeUndefined();
});

test('lines of a task on another server wake its readers, and are announced to no other server without one', async () => {
  const sent: string[] = [];
  const to = (other: () => OutputEvents) => ({
    publish(event: string) {
      sent.push(event);
      other().hear(event);
    },
  });
  const waiting = new Set(['queued']);
  const there = createOutputEvents(
    (id) => waiting.has(id),
    to(() => here),
  );
  const here: OutputEvents = createOutputEvents(
    () => true,
    to(() => there),
  );
  there.printed('one');
  expect(sent).toEqual([]);
  let count = 0;
  const read = async () => {
    await here.next('one', LONG, signal);
    count += 1;
  };
  // The first response is about what was printed before the other server knew.
  const first = read();
  expect(sent).toEqual(['follow:one', 'lines:one']);
  await setImmediate();
  expect(count).toBe(1);
  const second = read();
  there.printed('two');
  await setImmediate();
  expect(count).toBe(1);
  there.printed('one');
  await setImmediate();
  expect(count).toBe(2);
  expect(sent).toEqual(['follow:one', 'lines:one', 'lines:one']);
  await Promise.all([first, second]);
  // It waits for its turn while somebody waits for its lines.
  const later = here.next('queued', LONG, signal);
  waiting.clear();
  there.printed('queued');
  await later;
  expect(sent.slice(3)).toEqual(['follow:queued', 'lines:queued']);
});
