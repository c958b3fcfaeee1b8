// Proxies one WebSocket to an application: the handshake is made anew, then bytes pass unchanged in both directions.
import { request as openRequest, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Lease } from '../../runtime/pool/pool.ts';
import { InvalidResponse, routeTo } from './forward.ts';
import { responseHeaders, type Seen } from './response-headers.ts';

const HANDSHAKE = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'];
const NOT_OURS =
  /^(connection|upgrade|keep-alive|te|trailer|transfer-encoding|content-length|proxy-.*|expect)$/;

/**
 * Settles once the socket is open, or another response was passed on.
 * @throws before anything was answered.
 */
export function forwardSocket(
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
  lease: Lease,
  { path, ...seen }: Seen & { readonly path: string },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name, value]) => value !== undefined && !NOT_OURS.test(name)),
  ) as Record<string, string | string[]>;
  const out = openRequest({
    ...routeTo(lease),
    agent: false,
    method: 'GET',
    path,
    headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket' },
    setHost: false,
  });
  const leave = () => out.destroy();
  client.once('close', leave);
  out.on('error', reject);
  out.on('close', () => reject(new Error('the application closed the connection')));
  out.on('response', (response) => {
    try {
      client.write(
        headOf(statusOf(response), { ...responseHeaders(response.headers, seen), connection: 'close' }),
      );
    } catch (error) {
      response.destroy();
      reject(error);
      return;
    }
    // Without a length: it ends with the connection, whatever the visitor does with their side.
    response.on('error', () => client.destroy()).on('end', () => client.destroySoon());
    response.pipe(client);
    resolve();
  });
  out.on('upgrade', (response, socket, first) => {
    // The visitor may not have read everything yet.
    socket.on('error', () => client.destroy()).on('close', () => client.destroySoon());
    try {
      if (!/^websocket$/i.test(response.headers.upgrade ?? '')) throw new InvalidResponse('not a WebSocket');
      client.write(headOf(101, handshakeOf(response, seen)));
    } catch (error) {
      socket.destroy();
      reject(error);
      return;
    }
    client.removeListener('close', leave).once('close', () => socket.destroy());
    if (first.length > 0) client.write(first);
    if (head.length > 0) socket.write(head);
    socket.pipe(client).pipe(socket);
    resolve();
  });
  out.end();
  return promise;
}

function statusOf({ statusCode = 0 }: IncomingMessage): number {
  if (statusCode < 200 || statusCode > 599)
    throw new InvalidResponse(`the application answered with ${statusCode}`);
  return statusCode;
}

function handshakeOf(response: IncomingMessage, seen: Seen): Record<string, string | string[]> {
  const own = HANDSHAKE.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...responseHeaders(response.headers, { ...seen, policy: null }),
    ...Object.fromEntries(own),
    upgrade: 'websocket',
    connection: 'Upgrade',
  };
}

/** @throws for invalid header values. */
function headOf(status: number, headers: Record<string, string | string[]>): Buffer {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${one}`),
  );
  // oxlint-disable-next-line no-control-regex
  if (lines.some((line) => /[\x00-\x08\x0a-\x1f\x7f]/.test(line)))
    throw new InvalidResponse('invalid header');
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
  return Buffer.from([first, ...lines, '', ''].join('\r\n'), 'latin1');
}
