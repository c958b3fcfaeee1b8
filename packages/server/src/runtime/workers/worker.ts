// One process of an application: launched, waited for until it listens, used, stopped.
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Ending, Launched } from '../processes/launcher.ts';
import { startFailed, startTooSlow } from '../unavailable.ts';

/** Where a process listens: options of node's `connect` and `request`. */
export type Address = { readonly socketPath: string } | { readonly host: string; readonly port: number };

export interface Worker {
  readonly key: string;
  readonly address: Address;
  /** Keeps connections to it open between requests. */
  readonly agent: Agent;
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
  /** Gives the process and where it will listen. */
  readonly launch: () => Promise<{ launched: Launched; address: Address }>;
  readonly note: (line: string) => void;
}

/** The socket below a process' private directory. */
export const SOCKET = 's';
const POLL_MS = 20;
/** How long a connection to a process is kept without a request. */
const KEPT_MS = 60_000;

/** @throws when the process cannot even be launched. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { key, initTimeout, note } = options;
  const { launched, address } = await options.launch();
  const agent = new Agent({ keepAlive: true, timeout: KEPT_MS, maxFreeSockets: 64 });
  let hasStarted = false;
  let isStopped = false;
  let isOver = false;
  const ended = launched.ended.then((ending) => {
    isOver = true;
    agent.destroy();
    return ending;
  });

  async function untilItListens(): Promise<void> {
    const deadline = performance.now() + initTimeout * 1000;
    while (!(await listens(address))) {
      if (isOver || isStopped) throw startFailed(new Error((await ended).says));
      if (initTimeout > 0 && performance.now() > deadline) {
        note(`The process did not start within ${initTimeout} seconds and is stopped`);
        isStopped = true;
        void launched.stop();
        throw startTooSlow(initTimeout);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    hasStarted = true;
  }

  const ready = untilItListens();
  ready.catch(() => undefined);
  return {
    key,
    address,
    agent,
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

export function socketOf(launched: Launched): Address {
  return { socketPath: join(launched.directory, SOCKET) };
}

function listens(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = 'socketPath' in address ? connect(address.socketPath) : connect(address);
    const answer = (result: boolean) => () => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', answer(true)).once('error', answer(false));
  });
}
