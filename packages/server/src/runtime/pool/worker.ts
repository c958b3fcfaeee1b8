// One process of an application: launched, waited for until it listens, used, stopped.
import { connect } from 'node:net';
import type { Dispatcher } from 'undici';
import { Outage } from '../../platform/outage.ts';
import type { Ending, Launched } from '../sandbox/launcher.ts';
import { startFailed, startTooSlow, wentAway } from '../unavailable.ts';
import { openContentSocket, type ContentSocket } from './content-socket.ts';

/** Where a process listens: options of node's `connect` and `request`. */
export type Address = { readonly socketPath: string } | { readonly host: string; readonly port: number };

export interface Worker {
  readonly key: string;
  /** For a connection at once: not to be kept. @throws Unavailable when it does not listen, or not any more. */
  readonly address: Address;
  /** Sends requests without a body over connections that it keeps. @throws Unavailable as `address` */
  readonly dispatcher: Dispatcher;
  /** Open sockets, requests under way, and pages whose socket is still to come. */
  connections: number;
  /** Settles when it listens. Rejects with an Unavailable when it ended before or took too long. */
  readonly ready: Promise<void>;
  readonly isReady: boolean;
  /** Whether it listened at any time. */
  readonly hasStarted: boolean;
  /** Whether it was asked to stop, rather than ending by itself. */
  readonly isStopped: boolean;
  readonly ended: Promise<Ending>;
  stop(): Promise<Ending>;
}

export interface WorkerOptions {
  readonly key: string;
  /** Seconds. */
  readonly initTimeout: number;
  /** Gives the process, and the loopback port where it will listen; null: on the socket in its private directory. */
  readonly launch: () => Promise<{ launched: Launched; port: number | null }>;
  readonly note: (line: string) => void;
}

const POLL_MS = 20;
/** How long a connection to a process is kept without a request. */
const KEPT_MS = 60_000;

/** @throws when the process cannot even be launched. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { key, initTimeout, note } = options;
  const { launched, port } = await options.launch();
  let socket: ContentSocket | null = null;
  let dispatcher: Dispatcher | null = null;
  let hasStarted = false;
  let isStopped = false;
  let isOver = false;
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

  /** Whether it can be connected to. @throws when it offers something other than a socket of its own. */
  async function listens(): Promise<boolean> {
    if (port !== null) return connects({ host: '127.0.0.1', port });
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
        note(`The process did not start within ${initTimeout} seconds and was stopped`);
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
    if (socket === null) throw wentAway();
    return { socketPath: socket.path };
  }

  function offersOther(error: Error): never {
    note(`The process was stopped: ${error.message}`);
    isStopped = true;
    void launched.stop();
    throw startFailed(error);
  }

  const ready = untilItListens();
  ready.catch(() => undefined);
  return {
    key,
    get address() {
      return addressNow();
    },
    get dispatcher() {
      if (dispatcher === null) throw wentAway();
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
    stop() {
      isStopped = true;
      return launched.stop().then(() => ended);
    },
  };
}

/** undici costs two thirds of what node's own client does for a request. Nothing is loaded of it before a process runs. */
async function keepConnections(address: Address): Promise<Dispatcher> {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  const origin = 'host' in address ? `http://${address.host}:${address.port}` : 'http://localhost';
  return new Pool(origin, {
    ...('socketPath' in address && { socketPath: address.socketPath }),
    pipelining: 1,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
    // Whoever waits decides how long: see `Connections`.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function connects(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = 'socketPath' in address ? connect(address.socketPath) : connect(address);
    const answer = (result: boolean) => () => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', answer(true)).once('error', answer(false));
  });
}
