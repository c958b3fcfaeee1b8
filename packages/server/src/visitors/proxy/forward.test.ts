// What a request leaves behind at the application when its answer is out.
import { once } from 'node:events';
import { Agent, createServer, request as openRequest, type Server as HttpServer } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Lease } from '../../runtime/pool/pool.ts';
import { forward } from './forward.ts';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

async function listen(server: Server | HttpServer): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** The port where visitors find an application that does this with its connections. */
async function serve(application: (socket: Socket) => void): Promise<number> {
  const port = await listen(createNetServer(application));
  const agent = new Agent({ keepAlive: true });
  ends.push(() => agent.destroy());
  const lease = { worker: { address: { host: '127.0.0.1', port }, agent } } as unknown as Lease;
  const seen = { begun: [], url: 'http://h/content/x', policy: null };
  return listen(
    createServer((request, response) => {
      forward(request, response, lease, { path: '/', ...seen }).catch(() => response.destroy());
    }),
  );
}

test('a connection whose body stops after an early answer is closed: a visitor could use them all up', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const port = await serve((socket) => {
    accepted.resolve(socket);
    // As servers do that never read what they refuse, and keep the connection.
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
      });
  });
  const headers = { 'content-length': 100_000 };
  const visitor = openRequest({ host: '127.0.0.1', port, method: 'POST', agent: false, headers });
  visitor.on('error', () => undefined).write('begins, and never ends');
  const [answer] = await once(visitor, 'response');
  expect(answer.statusCode).toBe(413);
  await once(answer.resume(), 'end');
  visitor.destroy();
  await once(await accepted.promise, 'close');
});

test('a connection is used again; a request with a body, which must not be lost, gets one of its own', async () => {
  let connections = 0;
  const port = await serve((socket) => {
    connections += 1;
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  for (const method of ['GET', 'POST', 'GET', 'GET']) {
    const body = method === 'POST' ? 'whole' : undefined;
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method, ...(body && { body }) });
    expect(await answer.text()).toBe('ok');
  }
  expect(connections).toBe(2);
});

test('an application cannot answer in the name of a server: another server would read that as its word', async () => {
  const answer =
    'HTTP/1.1 200 OK\r\nPressroom-Outcome: gone\r\nPressroom_Outcome: gone\r\nContent-Length: 2\r\n\r\nok';
  const port = await serve((socket) => socket.on('data', () => socket.write(answer)));
  const { headers } = await fetch(`http://127.0.0.1:${port}/`);
  expect([...headers.keys()].filter((name) => name.startsWith('pressroom'))).toEqual([]);
});
