// Raw HTTP requests: any Host, any header, and incomplete bodies.
import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request to a local port, under any host name. */
export async function ask(
  server: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<RawResponse> {
  const { hostname, port, host } = new URL(server);
  const asked = request({
    hostname: hostname.endsWith('localhost') ? '127.0.0.1' : hostname,
    port,
    path,
    method,
    agent: false,
    headers: { host, ...headers },
  });
  asked.end();
  const [response] = await once(asked, 'response');
  return {
    status: response.statusCode,
    headers: response.headers,
    text: (await buffer(response)).toString(),
  };
}

/** Headers of a browser's navigation to a typed address. */
export const NAVIGATION = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'none',
};

export function open(server: string, first = ''): Socket {
  const socket = connect(Number(new URL(server).port), '127.0.0.1').on('error', () => undefined);
  socket.write(first);
  return socket;
}

/** Everything received until the other side closes. */
export async function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // With or without an error.
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** Name and value of each cookie set by a response. */
export function cookiesOf({ headers }: RawResponse): Record<string, string> {
  const lines = headers['set-cookie'] ?? [];
  return Object.fromEntries(lines.map((line) => line.split(';', 1)[0]!.split('=', 2) as [string, string]));
}
