import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createRemovals } from './removals.ts';

test('removes one tree after the other until it stops, also after a failure', async () => {
  const begun: string[] = [];
  const removing = Promise.withResolvers<void>();
  const remove = async (path: string, signal?: AbortSignal) => {
    begun.push(path);
    if (path === 'a') throw new Error('it cannot be removed');
    if (path !== 'c') return;
    removing.resolve();
    await new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const removals = createRemovals({ remove }, pino({ level: 'silent' }));
  for (const path of ['a', 'b', 'c', 'd']) removals.add(path);
  await removing.promise;
  await removals[Symbol.asyncDispose]();
  expect(begun).toEqual(['a', 'b', 'c']);
});
