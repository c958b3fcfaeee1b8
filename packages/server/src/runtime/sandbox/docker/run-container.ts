// One container for one process: made, attached to, started, ended, and removed.
import { constants } from 'node:os';
import type Docker from 'dockerode';
import { messageOf } from '../../../platform/errors.ts';
import { endsWithin } from '../ends-within.ts';
import type { Exit, Output, Started } from '../starter.ts';
import { createDemultiplexer } from './demultiplex.ts';
import { EngineGone, EngineRefusal, type Engine } from './engine.ts';

export interface ContainerRequest {
  readonly engine: Engine;
  readonly name: string;
  readonly options: Docker.ContainerCreateOptions;
  /** What the shell in it is given to read. */
  readonly script: string;
  readonly onOutput: Output;
  /** Milliseconds after each signal of a stop. */
  readonly grace: number;
  /** Told of the id of a container that could not be removed, because the engine is away. */
  readonly onLeft: (id: string, reason: EngineGone) => void;
}

export interface RunningContainer extends Omit<Started, 'exited'> {
  readonly exited: Promise<Omit<Exit, 'overDisk'>>;
  /** Ends all of it at once. */
  kill(): void;
}

const STREAMS = { stream: true, stdin: true, stdout: true, stderr: true };
/** Podman gives the body, which the library sends always, to the shell in the container: one that means nothing to it. */
const ATTACH = { ...STREAMS, hijack: true, _query: STREAMS, _body: ':' };

/** How long a container may take to be seen as ended once its output has. */
const END_MS = 10_000;

/** @throws EngineGone, EngineRefusal */
export async function runContainer(request: ContainerRequest): Promise<RunningContainer> {
  const { engine, name, options, script, onOutput, grace, onLeft } = request;
  const { id } = await engine.ask((docker) => docker.createContainer({ ...options, name }));
  const ask = <T>(question: (container: Docker.Container) => Promise<T>, milliseconds?: number) =>
    engine.ask((docker) => question(docker.getContainer(id)), milliseconds);

  async function remove(): Promise<void> {
    await ask((container) => container.remove({ force: true, v: true })).catch((error: unknown) => {
      if (error instanceof EngineGone) onLeft(id, error);
      // Somebody else has removed it, or is about to.
      else if (!(error instanceof EngineRefusal && [404, 409].includes(error.status))) throw error;
    });
  }

  let stream: NodeJS.ReadWriteStream;
  let closed: Promise<void>;
  let pid: number;
  try {
    stream = await ask((container) => container.attach(ATTACH));
    // What breaks is told by the end that follows.
    stream.on('error', () => undefined).on('data', createDemultiplexer(onOutput));
    // It may end before anybody asks, and after an error, which `once` would throw.
    const over = Promise.withResolvers<void>();
    stream.on('close', over.resolve);
    closed = over.promise;
    await ask((container) => container.start());
    // After that body.
    stream.write(`\n${script}`);
    pid = (await ask((container) => container.inspect())).State.Pid;
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }

  async function send(signal: NodeJS.Signals): Promise<boolean> {
    return ask((container) => container.kill({ signal })).then(
      () => true,
      () => false,
    );
  }

  async function untilEnded(): Promise<Omit<Exit, 'overDisk'>> {
    await closed;
    try {
      await ask((container) => container.wait(), END_MS);
      const { ExitCode, OOMKilled } = (await ask((container) => container.inspect())).State;
      return { ...exitOf(ExitCode), outOfMemory: OOMKilled };
    } catch (error) {
      return { code: null, signal: null, outOfMemory: false, lost: messageOf(error) };
    } finally {
      await remove().catch(() => undefined);
    }
  }

  const exited = untilEnded();
  let stopping = false;
  return {
    pid,
    exited,
    kill: () => void send('SIGKILL'),
    stop() {
      if (stopping) return;
      stopping = true;
      void (async () => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const)
          if ((await send(signal)) && (await endsWithin(exited, grace))) return;
        await send('SIGKILL');
      })();
    },
    flow(flows) {
      if (flows) stream.resume();
      else stream.pause();
    },
  };
}

/** The init process answers 128 and the number of the signal that ended what it started. */
function exitOf(status: number): Pick<Exit, 'code' | 'signal'> {
  const signal = FATAL.find((name) => constants.signals[name] === status - 128);
  return signal === undefined ? { code: status, signal: null } : { code: null, signal };
}

const FATAL = [
  'SIGINT',
  'SIGILL',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGSEGV',
  'SIGTERM',
  'SIGXFSZ',
] as const;
