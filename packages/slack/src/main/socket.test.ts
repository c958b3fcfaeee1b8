import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { keepSocketOpen } from './socket.ts';

test('reopens the socket after an outage of Slack and leaves no listeners', async () => {
  const client = new EventEmitter();
  let failures = 5;
  const start = vi.fn(async () => {
    failures -= 1;
    if (failures >= 0) throw new Error('HTTP 503');
  });
  const disconnect = async () => void client.emit('disconnected');
  // A clock that does not wait.
  const clock = { now: Date.now, random: () => 0.5, sleep: () => new Promise<void>(setImmediate) };
  const log = pino({ level: 'silent' });
  const socket = keepSocketOpen(Object.assign(client, { start, disconnect }) as never, clock, log);
  await expect.poll(() => start.mock.calls.length).toBe(6);
  expect(client.listenerCount('disconnected')).toBe(1);
  client.emit('disconnected');
  await expect.poll(() => start.mock.calls.length).toBe(7);
  expect(client.listenerCount('disconnected')).toBe(1);
  await socket.stop();
  expect(client.listenerCount('disconnected')).toBe(0);
});
