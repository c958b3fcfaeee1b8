// The servers of one database as each of them knows the others: rows with a heartbeat, and connections to each.
import { once } from 'node:events';
import { request as openRequest, Agent, type RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { splitAddress } from '../http/listen-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { clusterKeys } from './secure.ts';
import { createFailureDetector } from './failure-detector.ts';
import { keepServer, listServers, removeServer, type ServerRow } from './store.ts';

/** Another server. */
export interface Member {
  readonly node: string;
  readonly address: string;
}

export interface Cluster extends AsyncDisposable {
  /** This server. */
  readonly node: string;
  /** Tells the others where this server listens, and that it is alive from now on. */
  join(address: string): Promise<void>;
  /** From now on nobody comes to this server any more. */
  leave(): Promise<void>;
  /** Null for this server, and for those that are gone. */
  member(node: string): Promise<Member | null>;
  others(): Promise<readonly Member[]>;
  /** A request to another server, not sent yet; null when it has gone. It is destroyed when that server is lost. */
  open(member: Member, options: OpenOptions): ClientRequest | null;
  /** To be called with what a request became: it is destroyed when that server is gone. */
  hold(member: Member, socket: Duplex): void;
  /** What another server answers. @throws when it does not, or refuses. */
  call(member: Member, name: string, values: object, signal?: AbortSignal): Promise<unknown>;
}

export type OpenOptions = Pick<RequestOptions, 'method' | 'path' | 'headers'>;

export interface ClusterOptions {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly node: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Names the server that a request is for: another one may listen at its address by now. */
export const NODE_HEADER = 'pressroom-node';
/** Event: a server came or went. */
const SERVERS = 'servers';
const HEARTBEAT_MS = 5000;
/** A server that has shown no sign for so long, by this server's own clock, is gone. */
const LOST_MS = 20_000;
/** Microseconds after which the row of a server that is gone without a goodbye is removed. */
const FORGOTTEN = 3_600_000_000;
/** How long a server that refused a connection is asked nothing, unless it shows a sign of life. */
const AVOIDED_MS = 2000;
const CONNECT_MS = 2000;
const CALL_MS = 30_000;
/** Bytes of an answer to a call: a log has some two million. */
const LARGEST_ANSWER = 32 * 2 ** 20;

interface Known extends Member {
  readonly agent: Agent;
  /** All that is open to it. */
  readonly open: Set<{ destroy(error?: Error): unknown }>;
  heartbeat: number;
  avoidedUntil: number;
}

export function createCluster({ storage, secrets, node, clock, log }: ClusterOptions): Cluster {
  const { db, events } = storage;
  const { connecting } = clusterKeys(secrets);
  const known = new Map<string, Known>();
  const detector = createFailureDetector({ lostMs: LOST_MS, gapMs: 2.5 * HEARTBEAT_MS });
  /** Last signs of life of servers that are gone: their rows stay for a while. */
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

  /** What is under way goes on: a server that says goodbye ends it itself. */
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

  /** One sign of life at a time: the last one is over before the row goes. */
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
    // By the clocks alone, a server whose clock is behind would be forgotten while it runs.
    for (const [gone, heartbeat] of lost)
      if (heartbeat < clock.now() - FORGOTTEN) await removeServer(db, gone, heartbeat);
  }

  const failed = (error: unknown) => log.error(error, 'servers of this database');
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
    });
    hold(member, out);
    let isConnected = false;
    const late = setTimeout(
      () => out.destroy(new Error(`${one.address} did not answer`)),
      CONNECT_MS,
    ).unref();
    const connected = () => {
      isConnected = true;
      clearTimeout(late);
    };
    out.once('socket', (socket) => {
      if (out.reusedSocket) connected();
      // A machine that is gone says nothing: the kernel finds out within seconds.
      else socket.setKeepAlive(true, HEARTBEAT_MS).once('secureConnect', connected);
    });
    out.once('close', () => clearTimeout(late));
    out.on('error', (error) => {
      if (isConnected) return;
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
        const [answer] = (await once(out, 'response', { signal: limit })) as [IncomingMessage];
        const text = await readAll(answer);
        if (answer.statusCode !== 200)
          throw new Error(`${name}: another server answered ${answer.statusCode}`);
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

async function readAll(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
