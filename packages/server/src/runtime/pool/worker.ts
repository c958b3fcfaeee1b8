// A process of an application: launch, wait until it listens, use, stop.
import { connect } from 'node:net';
import type { Dispatcher } from 'undici';
import { endsWithin } from '../../platform/ends-within.ts';
import { Outage } from '../../platform/outage.ts';
import type { Ending, Launched } from '../sandbox/launcher.ts';
import { startFailed, startTooSlow, clientDisconnected } from '../unavailable.ts';
import { openContentSocket, type ContentSocket } from './content-socket.ts';
import { requireOwnPort } from './port-owner.ts';

/** Where a process listens, as options of Node's `connect` and `request`. */
export type Address = { readonly socketPath: string } | { readonly host: string; readonly port: number };

export interface Worker {
  readonly key: string;
  /** For an immediate connection; not to be kept. @throws Unavailable if it does not listen. */
  readonly address: Address;
  /** Sends requests without a body over kept-alive connections. @throws Unavailable like `address` */
  readonly dispatcher: Dispatcher;
  /** Open sockets, requests in progress, and pages whose socket is expected. */
  connections: number;
  /** Settles when it listens. Rejects with Unavailable if it ended before or took too long. */
  readonly ready: Promise<void>;
  readonly isReady: boolean;
  /** Whether it ever listened. */
  readonly hasStarted: boolean;
  /** Whether it was told to stop, rather than ending on its own. */
  readonly isStopped: boolean;
  readonly ended: Promise<Ending>;
  /** @param why for its log; unset where its user asked for it, or a deploy replaced it */
  stop(why?: string): Promise<Ending>;
  /** To be called when it refuses a connection: if it does not listen any more, it is replaced. */
  refused(): void;
}

export interface WorkerOptions {
  readonly key: string;
  /** Seconds. */
  readonly initTimeout: number;
  /**
   * Starts the process; returns the loopback port it will listen on, or null for the socket in its private directory.
   */
  readonly launch: () => Promise<{ launched: Launched; port: number | null }>;
  readonly note: (line: string) => void;
}

const POLL_MS = 20;
/** Milliseconds after which a process that refuses connections is replaced, if it has not ended. */
const REPLACED_MS = 1000;
/** Milliseconds until it is stopped: a busy machine reports the end of a process late. */
const STOPPED_MS = 5000;
/** Milliseconds that an idle connection to a process is kept. */
const KEPT_MS = 60_000;

/** @throws if the process cannot be launched. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { key, initTimeout, note } = options;
  const { launched, port } = await options.launch();
  let socket: ContentSocket | null = null;
  let dispatcher: Dispatcher | null = null;
  let hasStarted = false;
  let isStopped = false;
  let isOver = false;
  let replacing: Promise<void> | null = null;
  const ended = launched.ended.then((ending) => {
    isOver = true;
    void dispatcher?.destroy();
    void closeSocket();
    return ending;
  });

  async function closeSocket(): Promise<void> {
    const held = socket;
    socket = null;
    await held?.close();
  }

  /** Whether it accepts connections. @throws if it offers something other than its own socket or port. */
  async function listens(): Promise<boolean> {
    if (port !== null) {
      if (!(await connects({ host: '127.0.0.1', port }))) return false;
      await requireOwnPort(port, launched.uid);
      return true;
    }
    const found = await openContentSocket(launched.socket, launched.uid);
    if (!found) return false;
    if (!isOver && (await connects({ socketPath: found.path }))) {
      socket = found;
      if (isOver) await closeSocket();
      return true;
    }
    await found.close();
    return false;
  }

  async function untilItListens(): Promise<void> {
    const deadline = performance.now() + initTimeout * 1000;
    while (!(await listens().catch(offersOther))) {
      if (isOver || isStopped) {
        const { isLost, message } = await ended;
        throw startFailed(isLost ? new Outage(message) : new Error(message));
      }
      if (initTimeout > 0 && performance.now() > deadline) {
        const missed = port === null ? 'start' : 'listen on its port';
        note(`The process did not ${missed} within ${initTimeout} seconds and was stopped`);
        isStopped = true;
        void launched.stop();
        throw startTooSlow(initTimeout);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    dispatcher = await keepConnections(addressNow());
    if (isOver) await dispatcher.destroy();
    hasStarted = true;
  }

  function addressNow(): Address {
    if (port !== null) return { host: '127.0.0.1', port };
    if (socket === null) throw clientDisconnected();
    return { socketPath: socket.path };
  }

  function offersOther(error: Error): never {
    note(`The process was stopped: ${error.message}`);
    isStopped = true;
    void launched.stop();
    throw startFailed(error);
  }

  /** A process that is ending refuses connections, too: then the reason of its end counts. */
  async function replaceIfDeaf(): Promise<void> {
    await endsWithin(ended, REPLACED_MS);
    if (isOver || isStopped || (await connects(addressNow()))) return;
    isStopped = true;
    if (await endsWithin(ended, STOPPED_MS)) return;
    note('The process was stopped: it does not accept connections any more');
    void launched.stop();
  }

  const ready = untilItListens();
  ready.catch(() => undefined);
  return {
    key,
    get address() {
      return addressNow();
    },
    get dispatcher() {
      if (dispatcher === null) throw clientDisconnected();
      return dispatcher;
    },
    connections: 0,
    ready,
    get isReady() {
      return hasStarted && !isStopped && !isOver;
    },
    get hasStarted() {
      return hasStarted;
    },
    get isStopped() {
      return isStopped;
    },
    ended,
    stop(why) {
      if (why !== undefined && !isStopped) note(`The process is stopped: ${why}`);
      isStopped = true;
      return launched.stop().then(() => ended);
    },
    refused() {
      replacing ??= replaceIfDeaf().finally(() => (replacing = null));
    },
  };
}

/** undici needs a third less CPU than Node's own client. Loaded when the first process runs. */
async function keepConnections(address: Address): Promise<Dispatcher> {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  const origin = 'host' in address ? `http://${address.host}:${address.port}` : 'http://localhost';
  return new Pool(origin, {
    ...('socketPath' in address && { socketPath: address.socketPath }),
    pipelining: 1,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
    // Timeouts are the caller's: see `Connections`.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function connects(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = 'socketPath' in address ? connect(address.socketPath) : connect(address);
    const respond = (result: boolean) => () => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', respond(true)).once('error', respond(false));
  });
}
