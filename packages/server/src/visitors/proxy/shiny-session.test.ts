// Covers how much memory a session takes when one side sends and the other does not read.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { createShinySession } from './shiny-session.ts';

/** What is sent to it is written once `flush` is called. */
function side() {
  const sent: string[] = [];
  const waiting: (() => void)[] = [];
  return Object.assign(new EventEmitter(), {
    sent,
    isPaused: false,
    send(data: Buffer | string, ...rest: unknown[]) {
      sent.push(data.toString());
      const done = rest.at(-1);
      if (typeof done === 'function') waiting.push(() => done());
    },
    flush() {
      while (waiting.length > 0) waiting.shift()?.();
    },
    pause() {
      this.isPaused = true;
    },
    resume() {
      this.isPaused = false;
    },
    close: () => undefined,
    terminate: () => undefined,
  });
}

function begin() {
  const [client, backend] = [side(), side()];
  createShinySession({
    id: 'x',
    client: client as unknown as WebSocket,
    backend: backend as unknown as WebSocket,
    resumable: true,
    grace: 0,
    onFirstMessage: () => undefined,
    onEnd: () => undefined,
  });
  return { client, backend };
}

const MANY = 50_000;

function sendEmptyMessages(from: ReturnType<typeof side>, each: () => void = () => undefined): number {
  let count = 0;
  for (; count < MANY && !from.isPaused; count++) {
    from.emit('message', Buffer.alloc(0), true);
    each();
  }
  return count;
}

test('a visitor whose empty messages the application does not read is paused', () => {
  const { client, backend } = begin();
  expect(sendEmptyMessages(client)).toBeLessThan(MANY);
  backend.flush();
  expect(client.isPaused).toBe(false);
});

test('an application whose empty messages the page does not read, or confirm, is paused', () => {
  const unread = begin();
  const count = sendEmptyMessages(unread.backend);
  expect(count).toBeLessThan(MANY);
  unread.client.flush();
  expect(unread.backend.isPaused).toBe(false);

  const { client, backend } = begin();
  expect(sendEmptyMessages(backend, client.flush)).toBeLessThan(MANY);
  client.emit('message', Buffer.from(`a${count}`), false);
  expect(backend.isPaused).toBe(false);
});

test('a visitor who reads no confirmation gets no further ones', () => {
  const { client, backend } = begin();
  const confirmations = () => client.sent.filter((text) => text.startsWith('a'));
  for (let count = 0; count < 1000; count++) {
    client.emit('message', Buffer.alloc(0), true);
    backend.flush();
  }
  expect(confirmations()).toEqual(['a16']);
  client.flush();
  expect(confirmations()).toEqual(['a16', 'a1000']);
});
