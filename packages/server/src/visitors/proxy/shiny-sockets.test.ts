// What a visitor's socket holds while the application does not answer yet.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { systemClock, systemIds } from '../../platform/clock.ts';
import { createConnections } from './connections.ts';
import { createShinySockets } from './shiny-sockets.ts';
import type { Visit } from './visit.ts';

const REQUEST =
  'GET /websocket/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function listenAt(server: Server, path: string): Promise<string> {
  await once(server.listen(path), 'listening');
  ends.push(() => server.close());
  return path;
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Wanted {
  /** Behind the content's own. */
  readonly path?: string;
  /** Where the application listens, if on no port. */
  readonly socketPath?: string;
}

/** A visitor whose socket is opened to an application that does this with its own. */
async function visit(application: (socket: Socket) => void, wanted: Wanted = {}) {
  const ignore = () => undefined;
  const { path = '/websocket/', socketPath } = wanted;
  const listening = createNetServer((socket) => application(socket.on('error', ignore)));
  const address =
    socketPath === undefined
      ? { host: '127.0.0.1', port: await listen(listening) }
      : { socketPath: await listenAt(listening, socketPath) };
  const sockets = createShinySockets({
    storage: { db: null } as never,
    connections: createConnections(),
    clock: systemClock(),
    ids: systemIds(),
    log: pino({ level: 'silent' }),
    grace: 0,
  });
  ends.push(() => sockets[Symbol.asyncDispose]());
  const released = Promise.withResolvers<void>();
  const lease = { worker: { address }, release: released.resolve };
  const parts = {
    path,
    url: 'http://h/content/x',
    remoteAddress: '127.0.0.1',
    caller: null,
    groups: [],
    pool: { acquireReserved: async () => lease },
    scheduling: () => ({ connectionTimeout: 3600 }),
    check: async () => undefined,
  };
  const server = createServer();
  const asked = once(server, 'upgrade') as Promise<[IncomingMessage, Duplex, Buffer]>;
  const visitor = connect(await listen(server), '127.0.0.1')
    .on('error', ignore)
    .resume();
  ends.push(() => visitor.destroy());
  visitor.write(REQUEST);
  const opened = asked.then((args) =>
    sockets.open(...args, parts as unknown as Visit, new URLSearchParams()),
  );
  return { visitor, opened, released: released.promise };
}

test('a visitor who leaves while R computes for others gives the place back, and R the socket', async () => {
  // As R does, which takes a connection and answers it when it has time.
  const asked = Promise.withResolvers<Socket>();
  const { visitor, opened, released } = await visit((socket) => asked.resolve(socket.resume()));
  const refused = expect(opened).rejects.toThrow('ended');
  const backend = await asked.promise;
  visitor.end();
  await Promise.all([released, refused, once(backend, 'close')]);
});

test('an application that sends no message with its handshake ends its session only', async () => {
  const { opened, released } = await visit((socket) => {
    socket.once('data', (request: Buffer) => {
      const key = /Sec-WebSocket-Key: (\S+)/i.exec(request.toString())![1]!;
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      const answer = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(answer), Buffer.from([0xff, 0xff])]));
    });
  });
  await opened;
  await expect(released).resolves.toBeUndefined();
});

test('the path that a visitor asks for leads to no other socket of this machine', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-sockets-'));
  ends.push(() => rm(directory, { recursive: true }));
  let wrong = 0;
  const victim = createNetServer((socket) => {
    wrong += 1;
    socket.destroy();
  });
  const other = await listenAt(victim, join(directory, 'other'));
  const up = ['..', '%2e%2E', '.%2e'].map((dots) => `/${dots}`.repeat(12));
  for (const [at, climb] of [...up, ''].entries()) {
    const asked = Promise.withResolvers<string>();
    const { opened } = await visit(
      (socket) =>
        socket.once('data', (request: Buffer) => {
          asked.resolve(request.toString());
          socket.destroy();
        }),
      { path: `${climb}${other}:/websocket/`, socketPath: join(directory, `own-${at}`) },
    );
    await expect(opened).rejects.toThrow('ended');
    expect(wrong).toBe(0);
    expect(await asked.promise).toContain(`${other}:/websocket/ HTTP/1.1`);
  }
});
