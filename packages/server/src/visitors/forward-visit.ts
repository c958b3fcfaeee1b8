// Forwards a visit to the server with its process, and the response back, byte by byte.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cluster, Member } from '../cluster/cluster.ts';
import { clientDisconnected } from '../runtime/unavailable.ts';
import {
  errorOf,
  type ForwardedVisit,
  type Outcome,
  readOutcome,
  VISIT_HEADER,
  writeForwarded,
} from './forwarded-visit.ts';
import { HOP_BY_HOP, requestHeaders } from './proxy/forward.ts';
import { dropNamedHeaders } from './proxy/headers.ts';

export interface Destination {
  readonly member: Member;
  /** Whether only this server can answer: it has the visitor's session. */
  readonly isOnly: boolean;
}

/**
 * Settles when the visitor is answered, or with false if this server has to: then nothing of the request was consumed.
 * @throws Unavailable, ApiError before anything was answered.
 */
export function forwardVisit(
  cluster: Cluster,
  request: IncomingMessage,
  response: ServerResponse,
  to: Destination,
  forwarded: ForwardedVisit,
): Promise<boolean> {
  // The other server does not see the visitor's `Connection`.
  dropNamedHeaders(request.headers);
  return isAnswered(() => forwardOnce(cluster, request, response, to, forwarded));
}

type Handled = 'answered' | 'not there' | 'again';

async function isAnswered(once: () => Promise<Handled>): Promise<boolean> {
  const first = await once();
  // A kept-alive connection may have just been closed.
  const last = first === 'again' ? await once() : first;
  return last === 'answered';
}

function forwardOnce(
  cluster: Cluster,
  request: IncomingMessage,
  response: ServerResponse,
  to: Destination,
  forwarded: ForwardedVisit,
): Promise<Handled> {
  const { promise, resolve, reject } = Promise.withResolvers<Handled>();
  const { method = 'GET', headers } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  // Requests that must not run twice are sent after the other server has accepted them.
  const asksFirst = hasBody || (method !== 'GET' && method !== 'HEAD');
  const out = cluster.open(to.member, {
    method,
    path: '/visit',
    headers: {
      ...requestHeaders(headers),
      [VISIT_HEADER]: writeForwarded(forwarded),
      ...(asksFirst && { expect: '100-continue' }),
    },
  });
  if (!out) return Promise.resolve('not there');
  let answered: IncomingMessage | null = null;
  let isTaken = false;
  const failed = () => {
    if (answered) return;
    if (isTaken) reject(clientDisconnected());
    else resolve(out.reusedSocket ? 'again' : 'not there');
  };
  const left = () => {
    if (!answered?.complete || !out.writableFinished) out.destroy();
    request.unpipe(out);
    request.resume();
    resolve('answered');
  };
  const refused = (outcome: Outcome) => {
    const isElsewhere = outcome.kind === 'gone' || (outcome.kind === 'unavailable' && !to.isOnly);
    // The body was not sent: this connection cannot be reused.
    if (asksFirst) out.destroy();
    if (isElsewhere && !isTaken) resolve('not there');
    else reject(outcome.kind === 'gone' ? clientDisconnected() : errorOf(outcome));
  };
  response.once('close', left);
  out.on('error', failed).on('close', failed);
  out.on('continue', () => {
    isTaken = true;
    request.pipe(out);
    request.once('close', () => {
      if (!request.complete) out.destroy();
    });
  });
  out.on('response', (upstream) => {
    answered = upstream;
    readOutcome(upstream).then(
      (outcome) => (outcome ? refused(outcome) : passOn(upstream, response)),
      () => reject(clientDisconnected()),
    );
  });
  if (!asksFirst) out.end();
  return promise.finally(() => response.off('close', left));
}

/** Its headers are already those for visitors. */
function passOn(upstream: IncomingMessage, response: ServerResponse): void {
  upstream.on('error', () => response.destroy());
  upstream.on('close', () => {
    if (!upstream.complete) response.destroy();
  });
  if (response.destroyed || upstream.destroyed) {
    upstream.destroy();
    response.destroy();
    return;
  }
  for (const [name, value] of headersOf(upstream)) response.appendHeader(name, value);
  response.writeHead(upstream.statusCode ?? 502);
  upstream.pipe(response);
}

function* headersOf({ rawHeaders }: IncomingMessage): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!HOP_BY_HOP.has(name.toLowerCase())) yield [name, value];
  }
}

/** Forwards a WebSocket: settles once it is open there, or refused. */
export function forwardVisitSocket(
  cluster: Cluster,
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
  to: Destination,
  forwarded: ForwardedVisit,
): Promise<boolean> {
  dropNamedHeaders(request.headers);
  return isAnswered(() => forwardSocketOnce(cluster, request, client, head, to, forwarded));
}

function forwardSocketOnce(
  cluster: Cluster,
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
  to: Destination,
  forwarded: ForwardedVisit,
): Promise<Handled> {
  const { promise, resolve, reject } = Promise.withResolvers<Handled>();
  const out = cluster.open(to.member, {
    method: 'GET',
    path: '/visit',
    headers: {
      ...requestHeaders(request.headers),
      [VISIT_HEADER]: writeForwarded(forwarded),
      connection: 'Upgrade',
      upgrade: 'websocket',
    },
  });
  if (!out) return Promise.resolve('not there');
  const leave = () => out.destroy();
  client.once('close', leave);
  let hasResponse = false;
  const failed = () => {
    if (!hasResponse) resolve(client.destroyed ? 'answered' : out.reusedSocket ? 'again' : 'not there');
  };
  out.on('error', failed).on('close', failed);
  out.on('upgrade', (response, socket, first) => {
    hasResponse = true;
    client.off('close', leave);
    cluster.hold(to.member, socket);
    // The visitor may not have read everything yet.
    socket.on('error', () => client.destroy()).on('close', () => client.destroySoon());
    client.once('close', () => socket.destroy());
    client.write(
      headOf('101 Switching Protocols', 'Connection: Upgrade\r\nUpgrade: websocket', response),
      'latin1',
    );
    if (first.length > 0) client.write(first);
    if (head.length > 0) socket.write(head);
    socket.pipe(client).pipe(socket);
    resolve('answered');
  });
  out.on('response', (response) => {
    hasResponse = true;
    response.on('error', () => client.destroy());
    readOutcome(response).then(
      (outcome) => {
        if (outcome === null) {
          client.write(headOf(`${response.statusCode ?? 502} `, 'Connection: close', response), 'latin1');
          response.on('end', () => client.destroySoon()).pipe(client);
          resolve('answered');
        } else if (outcome.kind === 'gone' || (outcome.kind === 'unavailable' && !to.isOnly))
          resolve('not there');
        else reject(errorOf(outcome));
      },
      () => reject(clientDisconnected()),
    );
  });
  out.end();
  return promise.finally(() => client.off('close', leave));
}

function headOf(status: string, own: string, response: IncomingMessage): string {
  const lines = [...headersOf(response)].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status}\r\n${own}\r\n${lines}\r\n`;
}
