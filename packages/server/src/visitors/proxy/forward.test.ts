// Covers what a request leaves at the application after its response.
import { once } from 'node:events';
import { createServer, request as openRequest, type Server as HttpServer } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';
import Pool from 'undici/lib/dispatcher/pool.js';
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

/** Returns the port of a proxy to an application that handles its connections like this. */
async function serve(application: (socket: Socket) => void): Promise<number> {
  const port = await listen(createNetServer(application));
  const dispatcher = new Pool(`http://127.0.0.1:${port}`);
  ends.push(() => dispatcher.destroy());
  const lease = { worker: { address: { host: '127.0.0.1', port }, dispatcher } } as unknown as Lease;
  const seen = { begun: [], url: 'http://h/content/x', isAlone: false, policy: null };
  return listen(
    createServer((request, response) => {
      forward(request, response, lease, { path: '/', ...seen }).catch(() => response.destroy());
    }),
  );
}

test('closes a connection whose request body stops after an early response', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const port = await serve((socket) => {
    accepted.resolve(socket);
    // Some servers never read the body that they refuse, and keep the connection open.
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
      });
  });
  const headers = { 'content-length': 100_000 };
  const visitor = openRequest({ host: '127.0.0.1', port, method: 'POST', agent: false, headers });
  visitor.on('error', () => undefined).write('begins, and never ends');
  const [response] = await once(visitor, 'response');
  expect(response.statusCode).toBe(413);
  await once(response.resume(), 'end');
  visitor.destroy();
  await once(await accepted.promise, 'close');
});

test('delivers the response of an application that closes before it has read the body', async () => {
  const port = await serve((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
        socket.destroySoon();
      });
  });
  for (let visit = 0; visit < 30; visit += 1) {
    const visitor = openRequest({ host: '127.0.0.1', port, method: 'POST', agent: false });
    visitor.on('error', () => undefined);
    for (let part = 0; part < 40; part += 1) visitor.write(Buffer.alloc(50_000));
    visitor.end();
    const [response] = await once(visitor, 'response');
    const [text] = await once(response, 'data');
    expect([response.statusCode, String(text)]).toEqual([413, 'no']);
    visitor.destroy();
  }
});

test('reuses a connection, but opens another one for a request with a body', async () => {
  let connections = 0;
  const port = await serve((socket) => {
    connections += 1;
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  for (const method of ['GET', 'POST', 'GET', 'GET']) {
    const body = method === 'POST' ? 'whole' : undefined;
    const response = await fetch(`http://127.0.0.1:${port}/`, { method, ...(body && { body }) });
    expect(await response.text()).toBe('ok');
  }
  expect(connections).toBe(2);
});

test.each([
  ['GET', 2],
  ['HEAD', 2],
  // A request that may change something never uses a connection that may be closing.
  ['DELETE', 1],
])('%s succeeds when the application closes the kept connection at that moment', async (method, most) => {
  let connections = 0;
  const asked: string[] = [];
  const port = await serve((socket) => {
    connections += 1;
    let count = 0;
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        asked.push(String(chunk).split(' ')[0]!);
        count += 1;
        if (count === 2) socket.end();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
  });
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/`, { method })).status).toBe(200);
  expect(asked).toEqual(['GET', ...Array<string>(most).fill(method)]);
  expect(connections).toBe(2);
});

test('ignores what an application sends beyond its response', async () => {
  let count = 0;
  const port = await serve((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', () => {
        count += 1;
        const respond = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
        socket.write(respond(`answer ${count}`) + respond('too much'));
      });
  });
  const texts: string[] = [];
  for (let i = 0; i < 4; i += 1) texts.push(await (await fetch(`http://127.0.0.1:${port}/`)).text());
  expect(texts).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 4']);
});

test('removes Pressroom headers from the response of an application', async () => {
  const response =
    'HTTP/1.1 200 OK\r\nPressroom-Outcome: gone\r\nPressroom_Outcome: gone\r\nContent-Length: 2\r\n\r\nok';
  const port = await serve((socket) => socket.on('data', () => socket.write(response)));
  const { headers } = await fetch(`http://127.0.0.1:${port}/`);
  expect([...headers.keys()].filter((name) => name.startsWith('pressroom'))).toEqual([]);
});

test.each([
  ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', 200, ''],
  ['GET', 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n', 304, ''],
  ['GET', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
  ['DELETE', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 200, 'ok'],
  ['OPTIONS', 'HTTP/1.0 200 OK\r\n\r\nuntil it closes', 200, 'until it closes'],
])('%s returns the response of the application: %j', async (method, said, status, text) => {
  const port = await serve((socket) =>
    socket.once('data', () => {
      socket.write(said);
      if (said.startsWith('HTTP/1.0')) socket.end();
    }),
  );
  const response = await fetch(`http://127.0.0.1:${port}/`, { method });
  expect([response.status, await response.text()]).toEqual([status, text]);
});

test('closes the connection to the application when the visitor disconnects', async () => {
  const asked = Promise.withResolvers<Socket>();
  const port = await serve((socket) => {
    socket.on('error', () => undefined).once('data', () => asked.resolve(socket));
  });
  const visitor = openRequest({ host: '127.0.0.1', port, agent: false }).on('error', () => undefined);
  visitor.end();
  const socket = await asked.promise;
  visitor.destroy();
  await once(socket, 'close');
  expect(socket.closed).toBe(true);
});

test('delivers a long response completely to a visitor who reads slowly', async () => {
  const length = 20_000_000;
  const stalled = Promise.withResolvers<void>();
  const port = await serve((socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
      let left = length;
      const more = (): void => {
        while (left > 0) {
          const size = Math.min(left, 100_000);
          left -= size;
          if (!socket.write(Buffer.alloc(size))) {
            socket.once('drain', more);
            // Every buffer on the way is full.
            if (socket.writableLength > 0) stalled.resolve();
            return;
          }
        }
      };
      more();
    });
  });
  const visitor = openRequest({ host: '127.0.0.1', port, agent: false }).end();
  const [response] = await once(visitor, 'response');
  await stalled.promise;
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) size += chunk.length;
  expect(size).toBe(length);
});

test('drops early hints and merges duplicate headers as Node.js does', async () => {
  const head = [
    'HTTP/1.1 200 OK',
    'Set-Cookie: a=1',
    'Set-Cookie: b=2',
    'Content-Type: text/plain',
    'Content-Type: text/html',
    'Vary: Accept',
    'Vary: Cookie',
    'Content-Length: 2',
  ];
  const port = await serve((socket) =>
    socket.on('data', () =>
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${head.join('\r\n')}\r\n\r\nok`),
    ),
  );
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(await response.text()).toBe('ok');
  expect(response.headers.getSetCookie()).toHaveLength(2);
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(response.headers.get('vary')).toBe('Accept, Cookie');
  expect(response.headers.get('link')).toBeNull();
});

test('a 204 of an application has no Content-Length', async () => {
  const port = await serve((socket) =>
    socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n')),
  );
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method });
    expect([response.status, response.headers.get('content-length')]).toEqual([204, null]);
  }
});
