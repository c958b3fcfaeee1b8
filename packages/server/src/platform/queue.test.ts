// Covers the deploy queue: one deploy at a time per content item, a few in parallel overall.
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
