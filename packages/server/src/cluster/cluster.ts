// Membership: the servers that share a database, by heartbeat rows, and connections to each of them.
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as openRequest, Agent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { collectBytes } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { splitAddress } from '../http/listen-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { createFailureDetector } from './failure-detector.ts';
import { clusterKeys } from './secure.ts';
import { keepServer, listServers, removeServer, type ServerRow } from './store.ts';

/** Another server. */
export interface Member {
  readonly node: string;
  readonly address: string;
}

export interface Cluster extends AsyncDisposable {
  /** This server. */
  readonly node: string;
  /** Announces the address of this server and marks it alive. */
  join(address: string): Promise<void>;
  /** Leaves the cluster: no more requests come to this server. */
  leave(): Promise<void>;
  /** Null for this server, and for servers that are gone. */
  member(node: string): Promise<Member | null>;
  others(): Promise<readonly Member[]>;
  /** A request to another server, not sent yet; null if that server has left. Destroyed when the server is lost. */
  open(member: Member, options: OpenOptions): ClientRequest | null;
  /** Registers the upgraded socket of a request, to destroy it when the server is lost. */
  hold(member: Member, socket: Duplex): void;
  /** The response of another server. @throws if it does not respond, or refuses. */
  call(member: Member, name: string, values: object, signal?: AbortSignal): Promise<unknown>;
}

export type OpenOptions = Pick<RequestOptions, 'method' | 'path' | 'headers'>;

export interface ClusterOptions {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly node: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Nothing listens at the address of a server: most likely its process was killed. */
  readonly onRefused: (node: string) => Promise<void>;
}

/**
 * Names the server that a request is meant for: its address may belong to another one by now, which refuses with its own
 * name.
 */
export const NODE_HEADER = 'pressroom-node';
/** Event: a server joined or left. */
const SERVERS = 'servers';
const HEARTBEAT_MS = 5000;
/** Milliseconds without a heartbeat, by this server's clock, after which a server is lost. */
const LOST_MS = 20_000;
/** Microseconds after which the row of a lost server is removed. */
const FORGOTTEN = 3_600_000_000;
/** Milliseconds during which a server that refused a connection gets no requests, unless its heartbeat arrives. */
const AVOIDED_MS = 2000;
const CONNECT_MS = 2000;
const CALL_MS = 30_000;
/** Bytes: an application may send 16 KiB, and the other server adds its own. */
const HEADER_BYTES = 64 * 1024;
/** Bytes of a response to a call: a log has about two million. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

interface Known extends Member {
  readonly agent: Agent;
  /** Open requests and sockets to it. */
  readonly open: Set<{ destroy(error?: Error): unknown }>;
  heartbeat: number;
  avoidedUntil: number;
}

export function createCluster({ storage, secrets, node, clock, log, onRefused }: ClusterOptions): Cluster {
  const { db, events } = storage;
  const { connecting } = clusterKeys(secrets);
  const known = new Map<string, Known>();
  const detector = createFailureDetector({ lostMs: LOST_MS, gapMs: 2.5 * HEARTBEAT_MS });
  /** Last heartbeats of lost servers: their rows stay for a while. */
  const lost = new Map<string, number>();
  let address: string | null = null;
  let refreshing: Promise<void> | null = null;
  let showing: Promise<void> | null = null;
  let refreshedAt = -Infinity;

  function learn(row: ServerRow): void {
    const before = known.get(row.node);
    if (before?.heartbeat === row.heartbeat || lost.get(row.node) === row.heartbeat) return;
    lost.delete(row.node);
    if (before) {
      before.heartbeat = row.heartbeat;
      before.avoidedUntil = 0;
      return;
    }
    const agent = new Agent({ ...connecting, keepAlive: true, maxCachedSessions: 0, maxFreeSockets: 64 });
    const { heartbeat } = row;
    known.set(row.node, {
      node: row.node,
      address: row.address,
      agent,
      heartbeat,
      open: new Set(),
      avoidedUntil: 0,
    });
  }

  /** Requests under way continue: a server that leaves ends them itself. */
  function release(one: Known): void {
    known.delete(one.node);
    for (const socket of Object.values(one.agent.freeSockets).flat()) socket?.destroy();
  }

  function drop(one: Known): void {
    known.delete(one.node);
    lost.set(one.node, one.heartbeat);
    one.agent.destroy();
    for (const connection of one.open) connection.destroy(new Error('the server is gone'));
  }

  async function refresh(): Promise<void> {
    const rows = (await listServers(db)).filter((row) => row.node !== node);
    refreshedAt = performance.now();
    for (const row of rows) learn(row);
    const there = new Set(rows.map((row) => row.node));
    const silent = new Set(detector.look(rows.map((row) => [row.node, row.heartbeat] as const)));
    for (const node of lost.keys()) if (!there.has(node)) lost.delete(node);
    for (const one of known.values()) {
      if (!there.has(one.node)) release(one);
      else if (silent.has(one.node)) drop(one);
    }
  }

  function refreshOnce(): Promise<void> {
    refreshing ??= refresh().finally(() => (refreshing = null));
    return refreshing;
  }

  /** One heartbeat at a time: the last one is finished before the row is removed. */
  async function show(): Promise<void> {
    if (address === null) return;
    const now = clock.now();
    showing ??= keepServer(db, { node, address, started: now, heartbeat: now }).finally(
      () => (showing = null),
    );
    await showing;
  }

  async function beat(): Promise<void> {
    await show();
    await refreshOnce();
    // Compared by heartbeat as well, not by clock alone: a server whose clock is slow would be removed while it runs.
    for (const [gone, heartbeat] of lost)
      if (heartbeat < clock.now() - FORGOTTEN) await removeServer(db, gone, heartbeat);
  }

  const failed = failureOf('servers of this database', log);
  const beating = setInterval(() => void beat().catch(failed), HEARTBEAT_MS).unref();
  const listening = events.listen((event) => {
    if (event === SERVERS || event === null) refreshOnce().catch(failed);
  });

  async function leave(): Promise<void> {
    clearInterval(beating);
    if (address === null) return;
    address = null;
    await showing?.catch(() => undefined);
    await removeServer(db, node).catch(failed);
    events.publish(SERVERS);
  }

  const isUsable = (one: Known) => performance.now() >= one.avoidedUntil;

  function open(member: Member, { method, path, headers }: OpenOptions): ClientRequest | null {
    const one = known.get(member.node);
    if (!one) return null;
    const out = openRequest({
      ...splitAddress(one.address),
      agent: one.agent,
      method,
      path,
      headers: { ...headers, [NODE_HEADER]: one.node },
      maxHeaderSize: HEADER_BYTES,
    });
    hold(member, out);
    let isConnected = false;
    const late = setTimeout(
      () => out.destroy(new Error(`${one.address} did not respond`)),
      CONNECT_MS,
    ).unref();
    const connected = () => {
      isConnected = true;
      clearTimeout(late);
    };
    out.once('socket', (socket) => {
      if (out.reusedSocket) connected();
      // A machine that vanished sends nothing: keep-alive detects it within seconds.
      else socket.setKeepAlive(true, HEARTBEAT_MS).once('secureConnect', connected);
    });
    out.once('close', () => clearTimeout(late));
    out.on('error', (error: NodeJS.ErrnoException) => {
      if (isConnected) return;
      if (error.code === 'ECONNREFUSED') void onRefused(one.node).catch(failed);
      one.avoidedUntil = performance.now() + AVOIDED_MS;
      log.warn({ err: error, address: one.address }, 'cannot reach another server: see Cluster.Address');
    });
    return out;
  }

  function hold(member: Member, connection: Duplex | ClientRequest): void {
    const one = known.get(member.node);
    if (!one) {
      connection.destroy();
      return;
    }
    one.open.add(connection);
    connection.once('close', () => one.open.delete(connection));
  }

  return {
    node,
    async join(own) {
      // Killed before, and still shown: visits for it would come to this server, which is not the one they ask for.
      for (const { node: gone, address: of } of await listServers(db)) {
        if (of !== own || gone === node) continue;
        await removeServer(db, gone);
        await onRefused(gone);
      }
      address = own;
      await beat();
      events.publish(SERVERS);
    },
    leave,
    async member(name) {
      if (name === node) return null;
      const isStale = performance.now() - refreshedAt > HEARTBEAT_MS;
      if (!known.has(name) && isStale) await refreshOnce();
      const one = known.get(name);
      return one && isUsable(one) ? one : null;
    },
    async others() {
      if (performance.now() - refreshedAt > 2 * HEARTBEAT_MS) await refreshOnce();
      return [...known.values()].filter(isUsable);
    },
    open,
    hold,
    async call(member, name, values, signal) {
      signal?.throwIfAborted();
      const body = Buffer.from(JSON.stringify(values));
      const out = open(member, {
        method: 'POST',
        path: `/call/${name}`,
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      });
      if (!out) throw new Error(`${name}: the server is gone`);
      const limit = AbortSignal.any([AbortSignal.timeout(CALL_MS), ...(signal ? [signal] : [])]);
      const stop = () => out.destroy(new Error('the call took too long'));
      limit.addEventListener('abort', stop);
      out.on('error', () => undefined);
      out.end(body);
      try {
        const [response] = (await once(out, 'response', { signal: limit })) as [IncomingMessage];
        const text = await readAll(response);
        if (response.statusCode !== 200)
          throw new Error(`${name}: another server answered ${response.statusCode}`);
        return JSON.parse(text);
      } finally {
        limit.removeEventListener('abort', stop);
      }
    },
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]();
      await leave();
      await refreshing?.catch(() => undefined);
      for (const one of known.values()) drop(one);
    },
  };
}

async function readAll(response: IncomingMessage): Promise<string> {
  const bytes = await collectBytes(response as AsyncIterable<Buffer>, MAX_RESPONSE_BYTES);
  if (bytes === null) throw new Error('the response is too large');
  return bytes.toString('utf8');
}
