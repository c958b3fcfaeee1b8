// Covers the deploy queue: one deploy at a time per content item, a few in parallel overall, people in turn.
import { expect, it } from 'vitest';
import { createQueue } from './queue.ts';

/** Returns work that records its start and runs until `end` is called. */
function work(begun: string[], name: string) {
  const gate = Promise.withResolvers<void>();
  return { end: gate.resolve, run: () => (begun.push(name), gate.promise) };
}

it('deleting content waits only for its own deploy, even when all slots are busy', async () => {
  const queue = createQueue(1);
  const begun: string[] = [];
  const [deploy, other] = [work(begun, 'deploy of one'), work(begun, 'deploy of two')];
  const first = queue.add('one', deploy.run);
  const second = queue.add('two', other.run);
  const removal = queue.addShort('one', async () => begun.push('removal of one'));
  await queue.addShort('three', async () => begun.push('removal of three'));
  expect(begun.toSorted()).toEqual(['deploy of one', 'removal of three']);
  deploy.end();
  await first;
  await removal;
  expect(begun).toEqual(expect.arrayContaining(['removal of one', 'deploy of two']));
  other.end();
  await second;
});

it('people take turns, however much one of them has queued', async () => {
  const queue = createQueue(2);
  const begun: string[] = [];
  const names = ['ada 1', 'ada 2', 'ada 3', 'ada 4', 'ben 1', 'ben 2', 'cy 1'];
  const all = names.map((name) => ({ ...work(begun, name), name }));
  const done = all.map(({ run, name }) => queue.add(name, run, name.split(' ')[0]));
  const end = async (name: string) => {
    const at = names.indexOf(name);
    all[at]!.end();
    await done[at];
    await new Promise(setImmediate);
  };
  await new Promise(setImmediate);
  expect(begun).toEqual(['ada 1', 'ada 2']);
  for (const name of ['ada 1', 'ben 1', 'cy 1', 'ada 2', 'ben 2', 'ada 3']) await end(name);
  expect(begun).toEqual(['ada 1', 'ada 2', 'ben 1', 'cy 1', 'ben 2', 'ada 3', 'ada 4']);
});

it('work that fails frees its place', async () => {
  const queue = createQueue(1);
  const failed = queue.add('one', () => Promise.reject(new Error('failed')));
  const other = queue.add('two', async () => 'done');
  await expect(failed).rejects.toThrow('failed');
  expect(await other).toBe('done');
});

it('work that is cancelled while it waits keeps nothing of its key waiting', async () => {
  const queue = createQueue(1);
  const begun: string[] = [];
  const other = work(begun, 'deploy of two');
  const running = queue.add('two', other.run);
  const cancel = new AbortController();
  const cancelled = queue.add('one', work(begun, 'deploy of one').run, 'ada', cancel.signal);
  const removal = queue.addShort('one', async () => begun.push('removal of one'));
  cancel.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  await removal;
  expect(begun).toEqual(['deploy of two', 'removal of one']);
  other.end();
  await running;
});
