// What a visitor's socket holds while the application does not answer yet.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createNetServer, type AddressInfo, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { systemClock, systemIds } from '../config/clock.ts';
import type { Visit } from './application-proxy.ts';
import { createConnections } from './connections.ts';
import { createShinySockets } from './shiny-sockets.ts';

const REQUEST =
  'GET /websocket/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

async function listen<S extends Server>(server: S): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('a visitor who leaves while R computes for others gives the place back, and R the socket', async () => {
  // As R does, which takes a connection and answers it when it has time.
  const application = createNetServer((socket) => socket.resume());
  const port = await listen(application);
  await using sockets = createShinySockets({
    storage: null as never,
    connections: createConnections(),
    clock: systemClock(),
    ids: systemIds(),
    log: pino({ level: 'silent' }),
    grace: 0,
  });
  const released = Promise.withResolvers<void>();
  const lease = { worker: { address: { host: '127.0.0.1', port } }, release: released.resolve };
  const visit = {
    path: '/websocket/',
    url: 'http://h/content/x',
    remoteAddress: '127.0.0.1',
    caller: null,
    groups: [],
    pool: { acquireReserved: async () => lease },
    scheduling: () => ({ connectionTimeout: 3600 }),
  } as unknown as Visit;
  const server = createServer();
  const opened = once(server, 'upgrade') as Promise<[IncomingMessage, Duplex, Buffer]>;
  const visitor = connect(await listen(server), '127.0.0.1');
  visitor.write(REQUEST);
  const asked = once(application, 'connection') as Promise<[Duplex]>;
  const outcome = opened.then((args) => sockets.open(...args, visit, new URLSearchParams()));
  const refused = expect(outcome).rejects.toThrow('ended');
  const [backend] = await asked;
  visitor.end();
  await Promise.all([released.promise, refused, once(backend, 'close')]);
  visitor.destroy();
  for (const open of [server, application]) open.close();
});
