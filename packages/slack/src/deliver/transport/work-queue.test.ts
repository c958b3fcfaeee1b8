// Covers the queue after acknowledgements: no person takes every place, and nobody's turns are kept.
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createWorkQueue } from './work-queue.ts';

const log = pino({ level: 'silent' });
const ada = { team: 'T1', user: 'U1' };
const grace = { team: 'T1', user: 'U2' };

test('slow commands of a person leave places to others', async () => {
  const queue = createWorkQueue(4, log);
  const { promise: slow, resolve: end } = Promise.withResolvers<void>();
  const began: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    queue.add(async () => {
      began.push(name);
      await slow;
    }, ada);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  queue.add(async () => answer(), grace);
  await answered;
  expect(began).toEqual(['a', 'b', 'c']);
  expect(queue.waiting).toBeGreaterThanOrEqual(5);
  end();
  await queue.idle();
  expect(began).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(queue.waiting).toBe(0);
});

test('a person with too much waiting is told so, others are not', async () => {
  const queue = createWorkQueue(4, log, 1000);
  const { promise: slow, resolve: end } = Promise.withResolvers<void>();
  for (let i = 0; i < 52; i++) queue.add(() => slow, ada);
  expect(queue.isFull(ada)).toBe(false);
  queue.add(() => slow, ada);
  expect([queue.isFull(ada), queue.isFull(grace), queue.isFull({ ...ada, team: 'T2' })]).toEqual([
    true,
    false,
    false,
  ]);
  end();
  await queue.idle();
  expect(queue.isFull(ada)).toBe(false);
});

test('failed work takes no place', async () => {
  const queue = createWorkQueue(1, log, 1);
  for (let i = 0; i < 5; i++) queue.add(() => Promise.reject(new Error('failed')), ada);
  expect(queue.isFull(grace)).toBe(true);
  await queue.idle();
  await setImmediate();
  expect([queue.waiting, queue.isFull(grace)]).toEqual([0, false]);
});
