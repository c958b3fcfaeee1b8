// WebSockets of Shiny applications: open, record, resume and end sessions.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as openSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocket, WebSocketServer } from 'ws';
import { PROCESS_COOKIE } from '../../http/cookie-names.ts';
import { readCookie } from '../../http/read-cookie.ts';
import { type Clock, type Ids, timerMs } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { before } from '../../platform/text.ts';
import type { Lease } from '../../runtime/pool/pool.ts';
import { clientDisconnected } from '../../runtime/unavailable.ts';
import { retryOutages } from '../../tasks/retry-outages.ts';
import { endSession, insertSession } from '../../usage/store.ts';
import { DATA_VERSION } from '../../usage/visit-recorder.ts';
import type { Connections } from './connections.ts';
import { hasJustEnded } from './forward.ts';
import { prepareHeaders } from './headers.ts';
import { createMessageMemory, type MessageMemory } from './message-memory.ts';
import { CLOSE, createShinySession, type ShinySession } from './shiny-session.ts';
import { untilGone } from './until-gone.ts';
import type { Visit } from './visit.ts';

export interface ShinySockets extends AsyncDisposable {
  /** Opens or resumes a session. @throws Unavailable before anything was answered. */
  open(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    visit: Visit,
    query: URLSearchParams,
  ): Promise<void>;
  /** The process of the Shiny session with that token. */
  processOf(token: string): string | undefined;
  /** The server of a session id; null if the id does not say. */
  nodeOf(id: string): string | null;
}

export interface ShinySocketsOptions {
  readonly storage: Storage;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Milliseconds that a session waits for its visitor to resume (contract, section 8). */
  readonly grace: number;
  /** Part of session ids, so that other servers find them; null for a single server. */
  readonly node?: string | null;
  /** Bytes of messages of all sessions in memory, beyond which those that hold most end. */
  readonly messageMemory?: number;
}

interface Open {
  readonly session: ShinySession;
  readonly contentGuid: string;
  readonly userGuid: string | null;
}

/** Maximum bytes of a message. */
const MAX_FROM_VISITOR = 32 * 2 ** 20;
const MAX_FROM_APPLICATION = 256 * 2 ** 20;
/** Bytes of a first message that is read: Shiny's has some hundred. */
const MAX_FIRST = 64 * 1024;
/** More than one message may have. */
const MESSAGE_MEMORY = 512 * 2 ** 20;
/** Yields to the event loop after each message: a flood would delay all other visitors. */
const SERIAL_MESSAGES = { allowSynchronousEvents: false };
/** Milliseconds between attempts to record the end of a session in an outage, and their limit. */
const AGAIN_MS = 1000;
const OUTAGE_MS = 600_000;
/** A session id with its server. */
const NAMED = /^([0-9a-f-]{36})\./;
/** Headers replaced in the handshake with the application. */
const HANDSHAKE = /^(connection|upgrade|host|sec-websocket-.*)$/;

export function createShinySockets(options: ShinySocketsOptions): ShinySockets {
  const { storage, connections, clock, ids, log, grace, node = null } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FROM_VISITOR, ...SERIAL_MESSAGES });
  const sessions = new Map<string, Open>();
  const processes = new Map<string, string>();
  const writing = new Set<Promise<void>>();
  const stopping = new AbortController();
  const memory = createMessageMemory(options.messageMemory ?? MESSAGE_MEMORY);

  /** Null if the visitor has left, or sent an invalid handshake. */
  function accept(request: IncomingMessage, socket: Duplex, head: Buffer): WebSocket | null {
    let client: WebSocket | null = null;
    server.handleUpgrade(request, socket, head, (accepted) => {
      client = accepted;
      memory.watchUnfinished(accepted, socket);
    });
    return client;
  }

  function resume(client: WebSocket, visit: Visit, id: string, received: number): void {
    const open = sessions.get(id);
    const isTheirs =
      open?.contentGuid === visit.contentGuid &&
      open.userGuid === (visit.caller?.guid ?? null) &&
      received >= 0;
    if (isTheirs) open.session.resume(client, received);
    else client.close(CLOSE.unknownSession, 'The session is over');
  }

  /** A slot, and the application's side. @throws Unavailable */
  async function reach(
    request: IncomingMessage,
    visit: Visit,
    gone: AbortSignal,
    isAgain = false,
  ): Promise<{ lease: Lease; backend: WebSocket }> {
    const before = readCookie(request.headers.cookie, PROCESS_COOKIE);
    const lease = await visit.pool.acquireReserved(gone, before);
    try {
      return { lease, backend: await connect(request, visit, lease, { gone, memory }) };
    } catch (error) {
      const mayAsk = !isAgain && !gone.aborted;
      const isOver = await hasJustEnded(lease, error);
      lease.release();
      if (mayAsk && isOver) return reach(request, visit, gone, true);
      log.debug(error, 'socket to a Shiny application');
      throw clientDisconnected();
    }
  }

  async function begin(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    visit: Visit,
    resumable: boolean,
  ): Promise<void> {
    const gone = untilGone(socket);
    const since = connections.rechecks;
    const { lease, backend } = await reach(request, visit, gone);
    const client = accept(request, socket, head);
    if (!client) {
      lease.release();
      backend.terminate();
      return;
    }
    const id = node === null ? ids.secret() : `${node}.${ids.secret()}`;
    const row = visit.isDraft ? null : record(visit, lease);
    let token: string | null = null;
    const session = createShinySession({
      id,
      client,
      backend,
      resumable,
      grace,
      onFirstMessage(text) {
        token = readToken(text);
        if (token !== null) processes.set(token, lease.worker.key);
      },
      onEnd(lost) {
        sessions.delete(id);
        if (token !== null) processes.delete(token);
        remove();
        forget();
        lease.release();
        if (row) track(row.then((found) => recordEnd(found, (lost + grace) * 1000)));
      },
    });
    sessions.set(id, { session, contentGuid: visit.contentGuid, userGuid: visit.caller?.guid ?? null });
    const remove = connections.add({
      contentGuid: visit.contentGuid,
      scheduling: visit.scheduling,
      check: visit.check,
      bytesIn: () => session.bytesIn,
      bytesOut: () => session.bytesOut,
      end: (why) =>
        why === 'timed out'
          ? session.end(CLOSE.timedOut, 'Session expired')
          : session.end(CLOSE.notAllowed, 'You no longer have access to this content'),
    });
    const forget = memory.watch({
      bytes: () => session.bytesHeld,
      end: () => session.cut(),
    });
    // The visitor may have lost access while the process started.
    if (connections.rechecks !== since) connections.recheck(visit.contentGuid);
  }

  function record({ contentGuid, caller }: Visit, lease: Lease): Promise<number> {
    const row = insertSession(storage.db, {
      content_guid: contentGuid,
      user_guid: caller?.guid ?? null,
      started: clock.now(),
      ended: null,
      data_version: DATA_VERSION,
      job_key: lease.worker.key,
    });
    track(row.then(() => undefined));
    return row;
  }

  /** Retried in an outage: otherwise the session would stay open for ever. */
  function recordEnd(id: number, ended: Micros): Promise<void> {
    const { signal } = stopping;
    const context = { log: () => undefined, signal, triesLast: true };
    return retryOutages(context, () => endSession(storage.db, id, ended), AGAIN_MS, OUTAGE_MS);
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => log.error(error, 'recording a session'))
      .finally(() => writing.delete(tracked));
    writing.add(tracked);
  }

  return {
    async open(request, socket, head, visit, query) {
      const id = query.get('pressroom-session');
      if (id === null || id === 'new') {
        await begin(request, socket, head, visit, id === 'new');
        return;
      }
      const client = accept(request, socket, head);
      if (client) resume(client, visit, id, Number(query.get('received')));
    },
    processOf: (token) => processes.get(token),
    nodeOf: (id) => NAMED.exec(id)?.[1] ?? null,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      memory[Symbol.dispose]();
      for (const { session } of sessions.values()) session.end(CLOSE.applicationEnded, 'The server stops');
      await Promise.all(writing);
    },
  };
}

/**
 * Opens the application's side, with the visitor's headers from `prepareHeaders`; paused, so that no message is missed
 * until the session listens.
 * @throws if the visitor leaves before.
 */
async function connect(
  request: IncomingMessage,
  visit: Visit,
  { worker }: Lease,
  { gone, memory }: { readonly gone: AbortSignal; readonly memory: MessageMemory },
): Promise<WebSocket> {
  gone.throwIfAborted();
  const headers = { ...request.headers };
  prepareHeaders(headers, visit);
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !HANDSHAKE.test(name)));
  const { address } = worker;
  const { connectionTimeout } = visit.scheduling();
  const path = before(visit.path, '?');
  // Never concatenated with the socket's path: `..` and `:` in the path could name another socket.
  const backend = new WebSocket(`ws://application${path}`, {
    createConnection: () => ('socketPath' in address ? openSocket(address.socketPath) : openSocket(address)),
    headers: { ...own, host: new URL(visit.url).host } as Record<string, string>,
    perMessageDeflate: false,
    maxPayload: MAX_FROM_APPLICATION,
    ...SERIAL_MESSAGES,
    // R does not respond while it computes for another visitor.
    ...(connectionTimeout > 0 && { handshakeTimeout: timerMs(connectionTimeout) }),
  });
  // Invalid data after the handshake would otherwise end the server, for lack of a listener.
  backend.on('error', () => undefined).once('open', () => backend.pause());
  backend.once('upgrade', ({ socket }) => memory.watchUnfinished(backend, socket));
  const leave = () => backend.terminate();
  gone.addEventListener('abort', leave);
  try {
    await once(backend, 'open');
    if (backend.readyState !== WebSocket.OPEN)
      throw new Error('the application closed the WebSocket immediately');
    return backend;
  } finally {
    gone.removeEventListener('abort', leave);
  }
}

/** Shiny's first message has its session token. Any application may send one that takes seconds to parse. */
function readToken(text: Buffer): string | null {
  if (text.length > MAX_FIRST) return null;
  try {
    const { config } = JSON.parse(text.toString()) as { config?: { sessionId?: unknown } };
    return typeof config?.sessionId === 'string' ? config.sessionId : null;
  } catch {
    return null;
  }
}
