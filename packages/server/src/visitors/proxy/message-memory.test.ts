// Covers the memory of messages over all sockets.
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { createMessageMemory } from './message-memory.ts';

function socket() {
  const terminate = vi.fn();
  const connection = { bytesRead: 0 };
  return { ws: Object.assign(new EventEmitter(), { terminate }), connection, terminate };
}
type Fake = ReturnType<typeof socket>;

function watching(limit: number, ...all: Fake[]) {
  const memory = createMessageMemory(limit);
  for (const { ws, connection } of all)
    memory.watchUnfinished(ws as unknown as WebSocket, connection as unknown as Duplex);
  return memory;
}

test('those that hold most end until the others fit', () => {
  const all = [10, 50, 30, 5].map((bytes) => {
    const one = socket();
    return { ...one, begin: () => (one.connection.bytesRead = bytes) };
  });
  using memory = watching(20, ...all);
  for (const { begin } of all) begin();
  memory.look();
  expect(all.map(({ terminate }) => terminate.mock.calls.length)).toEqual([0, 1, 1, 0]);
});

test('complete messages and pings count no more, an unfinished message with pings in it does', () => {
  const [finished, unfinished] = [socket(), socket()];
  using memory = watching(100, finished, unfinished);
  finished.connection.bytesRead = 1000;
  finished.ws.emit('message', Buffer.alloc(990), true);
  finished.connection.bytesRead += 106;
  finished.ws.emit('ping', Buffer.alloc(100));
  memory.look();
  expect(finished.terminate).not.toHaveBeenCalled();
  unfinished.connection.bytesRead = 80 + 7 + 80;
  unfinished.ws.emit('ping', Buffer.alloc(1));
  memory.look();
  expect([finished.terminate, unfinished.terminate].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
});

test('a closed socket counts no more', () => {
  const [one, other] = [socket(), socket()];
  using memory = watching(100, one, other);
  one.connection.bytesRead = 200;
  one.ws.emit('close');
  other.connection.bytesRead = 50;
  memory.look();
  expect([one.terminate, other.terminate].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});
