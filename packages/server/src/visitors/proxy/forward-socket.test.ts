// Covers the end of a WebSocket that the application closes first.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createNetServer, Socket, type AddressInfo, type Server } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import type { Lease } from '../../runtime/pool/pool.ts';
import { forwardSocket } from './forward-socket.ts';

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A lease of an application that handles its connections like this. */
async function serve(application: (socket: Socket) => void): Promise<Lease> {
  const port = await listen(createNetServer((socket) => application(socket.on('error', () => undefined))));
  return { worker: { address: { host: '127.0.0.1', port } } } as unknown as Lease;
}

const seen = { path: '/', url: 'http://h/content/x', isAlone: false, policy: null };

test('the last messages of an application reach a visitor who reads slowly', async () => {
  const closed = Promise.withResolvers<void>();
  const lease = await serve((socket) => {
    socket.once('close', () => closed.resolve());
    socket.once('data', () => {
      socket.write(`${SWITCHED}one`);
      socket.end('two');
    });
  });
  const received: string[] = [];
  const reads: (() => void)[] = [];
  const client = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      received.push(String(chunk));
      reads.push(done);
    },
  });
  Object.assign(client, { destroySoon: Socket.prototype.destroySoon });
  const gone = once(client, 'close');
  await forwardSocket({ headers: {} } as never, client as Socket, Buffer.alloc(0), lease, seen);
  await closed.promise;
  while (!client.destroyed) {
    reads.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await gone;
  expect(received.join('')).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\nonetwo$/);
});

test('a visitor whose WebSocket is refused, and who leaves the connection open, holds nothing', async () => {
  const lease = await serve((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'));
  });
  const closed = Promise.withResolvers<void>();
  const port = await listen(
    createServer().on('upgrade', (request, socket: Socket, head) => {
      socket.on('error', () => undefined).once('close', () => closed.resolve());
      void forwardSocket(request, socket, head, lease, seen);
    }),
  );
  const visitor = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  ends.push(() => visitor.destroy());
  visitor.write('GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  let text = '';
  visitor.on('data', (chunk) => (text += String(chunk)));
  await once(visitor, 'end');
  expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[^]*\r\n\r\nno$/);
  await closed.promise;
});
