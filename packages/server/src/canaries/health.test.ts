// Covers requests of a canary's health path: whatever an application sends, they end.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { statusOf } from './health.ts';

test.each([
  ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ['is not HTTP', 'hello\r\n\r\n'],
])('a health check fails if the response %s', async (_what, response) => {
  const server = createServer((socket) =>
    socket.on('error', () => undefined).once('data', () => socket.write(response)),
  );
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { signal } = new AbortController();
    await expect(statusOf({ host: '127.0.0.1', port }, '/', signal)).rejects.toThrow();
  } finally {
    server.close();
  }
});
