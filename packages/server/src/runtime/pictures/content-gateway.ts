// What a screenshot browser can reach: one content item of this server, and nothing else.
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, request as ask } from 'node:http';

export interface GatewayOptions {
  /** Where it listens. */
  readonly socket: string;
  /** Address of this server, without a trailing slash. */
  readonly address: string;
  /** Path of the content, with slashes at both ends. */
  readonly path: string;
  /** Authorizes access to this content. */
  readonly key: string;
}

/** Request headers of the browser that are passed on. */
const PASSED = ['accept', 'accept-encoding', 'accept-language', 'range', 'user-agent'];

export interface Gateway extends AsyncDisposable {
  /** HTTP status of the first response, which is the page's; null before. */
  readonly status: () => number | null;
}

export async function openGateway({ socket, address, path, key }: GatewayOptions): Promise<Gateway> {
  let status: number | null = null;
  const server = createServer((request, response) => {
    // Null for an invalid path, such as `//`: scripts may request anything.
    const to = URL.parse(request.url ?? '/', 'http://content');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !to?.pathname.startsWith(path)) {
      response.writeHead(404).end();
      return;
    }
    const passed = PASSED.map((name) => [name, request.headers[name]] as const);
    const headers = {
      ...Object.fromEntries(passed.filter(([, value]) => value !== undefined)),
      authorization: `Key ${key}`,
    };
    const forwarded = ask(
      address + to.pathname + to.search,
      { method: request.method, headers },
      (upstream) => {
        status ??= upstream.statusCode ?? 502;
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
        upstream.on('error', () => response.destroy());
      },
    );
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    forwarded.end();
  });
  server.listen(socket);
  await once(server, 'listening');
  // The rendering account is another one; nobody else can enter the directory.
  await chmod(socket, 0o666);
  return {
    status: () => status,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
