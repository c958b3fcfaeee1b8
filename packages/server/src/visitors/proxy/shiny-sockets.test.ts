// Covers how much a visitor's socket holds before the application answers.
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
import { errors } from '@pressroom/api/contract';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { systemClock, systemIds } from '../../platform/clock.ts';
import { createConnections } from './connections.ts';
import { createShinySockets } from './shiny-sockets.ts';
import type { Visit } from './visit.ts';

const REQUEST =
  'GET /websocket/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** A masked message of one letter, as browsers and the server send it. */
const SHORT = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]);

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
  /** Path below the content's address. */
  readonly path?: string;
  /** Unix socket of the application, instead of a port. */
  readonly socketPath?: string;
  /** Where sessions are recorded; null for nowhere. */
  readonly db?: object;
  /** Bytes of messages of all sessions. */
  readonly messageMemory?: number;
  /** Whether the first process that is chosen has ended. */
  readonly hasEnded?: boolean;
}

/** Opens a visitor's socket to an application that handles its side like this. */
async function visit(application: (socket: Socket) => void, wanted: Wanted = {}) {
  const ignore = () => undefined;
  const { path = '/websocket/', socketPath, db = null, messageMemory, hasEnded = false } = wanted;
  const listening = createNetServer((socket) => application(socket.on('error', ignore)));
  const address =
    socketPath === undefined
      ? { host: '127.0.0.1', port: await listen(listening) }
      : { socketPath: await listenAt(listening, socketPath) };
  const sockets = createShinySockets({
    storage: { db } as never,
    connections: createConnections(),
    clock: systemClock(),
    ids: systemIds(),
    log: pino({ level: 'silent' }),
    grace: 0,
    ...(messageMemory !== undefined && { messageMemory }),
  });
  ends.push(() => sockets[Symbol.asyncDispose]());
  const released = Promise.withResolvers<void>();
  const lease = { worker: { key: 'w', address, refused: ignore }, release: released.resolve };
  // Nothing listens there.
  const nowhere = { address: { host: '127.0.0.1', port: 1 }, refused: ignore, ended: Promise.resolve() };
  const leases = [...(hasEnded ? [{ worker: nowhere, release: ignore }] : []), lease];
  const parts = {
    path,
    url: 'http://h/content/x',
    remoteAddress: '127.0.0.1',
    caller: null,
    groups: [],
    pool: { acquireReserved: async () => leases.shift() },
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
  const stop = () => sockets[Symbol.asyncDispose]();
  const { processOf } = sockets;
  return { visitor, opened, released: released.promise, stop, processOf };
}

test('another process opens the socket if one has just ended', async () => {
  const asked = Promise.withResolvers<void>();
  const { opened, released } = await visit(
    (socket) => {
      asked.resolve();
      socket.destroy();
    },
    { hasEnded: true },
  );
  await Promise.all([expect(opened).rejects.toThrow('ended'), asked.promise, released]);
});

test('a visitor who leaves during the handshake frees the place and the socket of R', async () => {
  // The application accepts the connection and does not respond yet, as R does while busy.
  const asked = Promise.withResolvers<Socket>();
  const { visitor, opened, released } = await visit((socket) => asked.resolve(socket.resume()));
  const refused = expect(opened).rejects.toThrow('ended');
  const backend = await asked.promise;
  visitor.end();
  await Promise.all([released, refused, once(backend, 'close')]);
});

/** Returns the response that accepts this WebSocket request. */
function handshakeFor(request: Buffer): Buffer {
  const key = /Sec-WebSocket-Key: (\S+)/i.exec(request.toString())![1]!;
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return Buffer.from(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
}

test('an application that sends an invalid frame with its handshake ends its session only', async () => {
  const { opened, released } = await visit((socket) => {
    socket.once('data', (request: Buffer) => {
      socket.write(Buffer.concat([handshakeFor(request), Buffer.from([0xff, 0xff])]));
    });
  });
  await opened;
  await expect(released).resolves.toBeUndefined();
});

test.each([
  ['read from a first message as Shiny sends it', '', 'w'],
  ['not looked for in one that takes long to parse', ',1'.repeat(2 ** 15), undefined],
])('the token of a session is %s', async (_how, more, process) => {
  const text = Buffer.from(`{"config":{"sessionId":"abc"},"more":[0${more}]}`);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(text.length));
  const { visitor, opened, processOf } = await visit((socket) => {
    socket.once('data', (request: Buffer) => {
      socket.write(Buffer.concat([handshakeFor(request), Buffer.from([0x81, 127]), length, text]));
    });
  });
  let received = '';
  visitor.on('data', (chunk) => (received += String(chunk)));
  await opened;
  await expect.poll(() => received).toContain(']}');
  expect(processOf('abc')).toBe(process);
});

test('records the end of a session once the database is back', async () => {
  const ended = Promise.withResolvers<number>();
  let tries = 0;
  const execute = async () => {
    tries += 1;
    if (tries === 1) throw errors.internal({ message: 'The database cannot be reached', status: 503 });
    ended.resolve(tries);
  };
  const db = {
    insertInto: () => ({
      values: () => ({ returning: () => ({ executeTakeFirstOrThrow: async () => ({ id: 1 }) }) }),
    }),
    updateTable: () => ({ set: () => ({ where: () => ({ execute }) }) }),
  };
  const { visitor, opened, released } = await visit(
    (socket) => socket.once('data', (request: Buffer) => socket.write(handshakeFor(request))),
    { db },
  );
  await opened;
  visitor.destroy();
  await released;
  expect(await ended.promise).toBe(2);
});

test('records the end of a session at the latest when the server stops', async () => {
  const tried = Promise.withResolvers<void>();
  let tries = 0;
  const execute = async () => {
    tries += 1;
    tried.resolve();
    if (tries === 1) throw errors.internal({ message: 'The database cannot be reached', status: 503 });
  };
  const db = {
    insertInto: () => ({
      values: () => ({ returning: () => ({ executeTakeFirstOrThrow: async () => ({ id: 1 }) }) }),
    }),
    updateTable: () => ({ set: () => ({ where: () => ({ execute }) }) }),
  };
  const { visitor, opened, released, stop } = await visit(
    (socket) => socket.once('data', (request: Buffer) => socket.write(handshakeFor(request))),
    { db },
  );
  await opened;
  visitor.destroy();
  await released;
  await tried.promise;
  await new Promise(setImmediate);
  await stop();
  expect(tries).toBe(2);
});

test('a visitor who sends very many messages does not block others', async () => {
  const count = 20_000;
  const all = Promise.withResolvers<void>();
  const { visitor, opened } = await visit((socket) => {
    let bytes = 0;
    socket.once('data', (request: Buffer) => {
      socket.write(handshakeFor(request));
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes >= count * SHORT.length) all.resolve();
      });
    });
  });
  await opened;
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  visitor.write(Buffer.concat(Array<Buffer>(count).fill(SHORT)));
  await all.promise;
  clearImmediate(next);
  expect(turns).toBeGreaterThan(count / 2);
});

/** The beginning of a binary message of many bytes. */
function begunMessage(isMasked: boolean): Buffer {
  const header = Buffer.alloc(10);
  header.writeUInt16BE(isMasked ? 0x82ff : 0x827f);
  header.writeBigUInt64BE(8n * 2n ** 20n, 2);
  return Buffer.concat([header, Buffer.alloc(2 ** 20)]);
}

test.each([
  ['visitor', 0],
  ['application', 1],
])('a session whose %s leaves a message unfinished ends where all take too much memory', async (_who, by) => {
  const asked = Promise.withResolvers<Socket>();
  const { visitor, opened, released } = await visit(
    (socket) => {
      socket.once('data', (request: Buffer) => {
        socket.write(handshakeFor(request));
        asked.resolve(socket.resume());
      });
    },
    { messageMemory: 2 ** 19 },
  );
  await opened;
  const backend = await asked.promise;
  const closed = once(by === 0 ? visitor : backend, 'close');
  (by === 0 ? visitor : backend).write(begunMessage(by === 0));
  await expect(Promise.all([released, closed])).resolves.toBeDefined();
});

test('the requested path reaches no other socket of the machine', async () => {
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
