// A tiny proxy for tests: CONNECT tunnels and plain forwarding, every use recorded.
import { createServer, request as forward } from 'node:http';
import { connect } from 'node:net';
import { listen } from './fake-server.ts';

export interface FakeProxy extends AsyncDisposable {
  url: string;
  port: number;
  /** `CONNECT host:port` or `GET http://…`. */
  uses: string[];
  authorizations: (string | undefined)[];
  /** The first line that came through each tunnel, such as `GET / HTTP/1.1`. */
  lines: string[];
}

/** @param refuseWith status for CONNECT instead of a tunnel. */
export async function startFakeProxy(refuseWith?: number): Promise<FakeProxy> {
  const uses: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const lines: string[] = [];
  const server = createServer((incoming, response) => {
    uses.push(`${incoming.method} ${incoming.url}`);
    authorizations.push(incoming.headers['proxy-authorization']);
    const onward = forward(
      incoming.url ?? '',
      { method: incoming.method ?? 'GET', headers: incoming.headers },
      (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket, head) => {
    uses.push(`CONNECT ${incoming.url}`);
    authorizations.push(incoming.headers['proxy-authorization']);
    socket.on('error', () => undefined);
    if (refuseWith !== undefined) {
      socket.end(`HTTP/1.1 ${refuseWith} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const [host, port] = (incoming.url ?? '').split(':');
    const upstream = connect(Number(port), host ?? '', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      socket.once('data', (chunk) => lines.push(String(chunk).split('\r\n', 1)[0] ?? ''));
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    uses,
    authorizations,
    lines,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
