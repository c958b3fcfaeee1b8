// The supervisor as a starter on the server's side: processes are started by another process.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Outage } from '../../../platform/outage.ts';
import type { Exit, Output, Started, Starter } from '../starter.ts';
import { createFrameReader, FRAME, PAUSE, RESUME, STOP, type Request } from './protocol.ts';
import type { AskPam, PamAnswer } from './supervisor.ts';

/**
 * The kernel kills this process with its supervisor: exits reported shortly before would be wrong. If it survives, they
 * are reported after these milliseconds.
 */
const GONE_MS = 2000;

export interface RemoteStarter extends Starter {
  readonly askPam: AskPam;
}

/** @param path of the supervisor's socket */
export async function createRemoteStarter(path: string): Promise<RemoteStarter> {
  const running = new Set<Started>();
  const described = (await call(path, { op: 'describe' })) as Pick<
    Starter,
    'isolation' | 'containers' | 'directory' | 'inside' | 'forks'
  >;
  async function follow(request: Request, onOutput: Output): Promise<Started> {
    const socket = open(path, request);
    const begun = Promise.withResolvers<number>();
    const ended = Promise.withResolvers<Exit>();
    const read = createFrameReader((kind, body) => {
      if (kind === FRAME.stdout) onOutput(body, 'stdout');
      else if (kind === FRAME.stderr) onOutput(body, 'stderr');
      else if (kind === FRAME.begun) begun.resolve((JSON.parse(String(body)) as { pid: number }).pid);
      else if (kind === FRAME.response) ended.resolve(JSON.parse(String(body)) as Exit);
      else begun.reject(failureIn(body));
    });
    socket.on('data', read).on('close', () => {
      const gone = 'the supervisor of this server has stopped';
      begun.reject(new Error(gone));
      const exit = { code: null, signal: null, outOfMemory: false, overDisk: false, error: gone };
      setTimeout(() => ended.resolve(exit), GONE_MS).unref();
    });
    const pid = await begun.promise;
    const started: Started = {
      pid,
      exited: ended.promise.finally(() => running.delete(started)),
      stop: () => void socket.write(STOP),
      flow: (flows) => void socket.write(flows ? RESUME : PAUSE),
    };
    running.add(started);
    return started;
  }

  const { containers } = described;
  return {
    ...described,
    containers: containers && {
      ...containers,
      async responds() {
        const { responds } = (await call(path, { op: 'responds' })) as { responds: boolean };
        return responds;
      },
    },
    start: ({ id, account, command }, onOutput) =>
      follow({ op: 'start', id, account: account?.name ?? null, command }, onOutput),
    fork: (request, onOutput) => follow({ op: 'fork', ...request }, onOutput),
    async give(tree, account) {
      await call(path, { op: 'give', path: tree, account: account?.name ?? null });
    },
    removeLeftovers: async () => void (await call(path, { op: 'removeLeftovers' })),
    askPam: async (username, password) => (await call(path, { op: 'pam', username, password })) as PamAnswer,
    async [Symbol.asyncDispose]() {
      for (const one of running) one.stop();
      await Promise.all([...running].map((one) => one.exited));
    },
  };
}

/** @throws the supervisor's error. */
async function call(path: string, request: Request): Promise<object> {
  const socket = open(path, request);
  const { promise, resolve, reject } = Promise.withResolvers<object>();
  const read = createFrameReader((kind, body) => {
    if (kind === FRAME.response) resolve(JSON.parse(String(body)) as object);
    else reject(failureIn(body));
  });
  socket.on('data', read);
  const closed = once(socket, 'close').then(() => {
    throw new Error('the supervisor of this server has stopped');
  });
  closed.catch(() => undefined);
  return await Promise.race([promise, closed]);
}

function open(path: string, request: Request): Socket {
  const socket = connect(path);
  // Only its end matters.
  socket.on('error', () => undefined);
  socket.write(`${JSON.stringify(request)}\n`);
  return socket;
}

function failureIn(body: Buffer): Error {
  const { message, isOutage } = JSON.parse(String(body)) as { message: string; isOutage: boolean };
  return isOutage ? new Outage(message) : new Error(message);
}
