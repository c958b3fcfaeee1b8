// One container for one process: create, attach, start, end, remove.
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { endsWithin } from '../../../platform/ends-within.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { Exit, Output, Started } from '../starter.ts';
import { createDemultiplexer } from './demultiplex.ts';
import { EngineGone, type Engine } from './engine.ts';

export interface ContainerRequest {
  readonly engine: Engine;
  readonly name: string;
  readonly options: Docker.ContainerCreateOptions;
  /** Standard input of the shell in it. */
  readonly script: string;
  readonly onOutput: Output;
  /** Milliseconds after each signal of a stop. */
  readonly grace: number;
  /** Called with the name or id of a container that may be there, and could not be removed. */
  readonly onLeft: (name: string) => void;
}

export interface RunningContainer extends Omit<Started, 'exited'> {
  readonly exited: Promise<Omit<Exit, 'overDisk'>>;
  /** Kills everything in it. */
  kill(): void;
}

const STREAMS = { stream: true, stdin: true, stdout: true, stderr: true };
/** The library always sends a body, which Podman passes to the container's shell: this one has no effect. */
const ATTACH = { ...STREAMS, hijack: true, _query: STREAMS, _body: ':' };

/** Milliseconds for a container to be reported as ended after its output. */
const END_MS = 10_000;
const SIGNAL_MS = 10_000;

/** @throws EngineGone, EngineRefusal */
export async function runContainer(request: ContainerRequest): Promise<RunningContainer> {
  const { engine, name, options, script, onOutput, grace, onLeft } = request;
  const create = (docker: Docker) => docker.createContainer({ ...options, name });
  const { id } = await engine
    .ask(create, undefined, () => onLeft(name))
    .catch((error: unknown) => {
      if (error instanceof EngineGone) onLeft(name);
      throw error;
    });
  const ask = <T>(question: (container: Docker.Container) => Promise<T>, milliseconds?: number) =>
    engine.ask((docker) => question(docker.getContainer(id)), milliseconds);

  /** It may have been removed, or is being removed, already. */
  async function remove(): Promise<void> {
    await ask((container) => container.remove({ force: true, v: true })).catch((error: unknown) => {
      if (error instanceof EngineGone) onLeft(id);
    });
  }

  const over = Promise.withResolvers<void>();
  let stream: Duplex;
  let pid: number;
  try {
    stream = (await ask((container) => container.attach(ATTACH))) as Duplex;
    // The end that follows reports the error.
    stream.on('error', () => undefined).on('data', createDemultiplexer(onOutput));
    // The stream may end before anybody waits, and after an error, for which `once` would reject.
    stream.on('close', over.resolve);
    await ask((container) => container.start());
    // After the body.
    stream.write(`\n${script}`);
    pid = (await ask((container) => container.inspect())).State.Pid;
  } catch (error) {
    // Nobody waits twice for an engine that hangs.
    if (error instanceof EngineGone) onLeft(id);
    else await remove();
    throw error;
  }

  async function send(signal: NodeJS.Signals): Promise<void> {
    await ask((container) => container.kill({ signal }), SIGNAL_MS).catch((error: unknown) => {
      if (!(error instanceof EngineGone)) return;
      // Nobody waits for an engine that hangs: when it goes on, the closed input ends the container.
      over.reject(error);
      stream.destroy();
    });
  }

  async function untilEnded(): Promise<Omit<Exit, 'overDisk'>> {
    try {
      await over.promise;
      await ask((container) => container.wait(), END_MS);
      const { ExitCode, OOMKilled } = (await ask((container) => container.inspect())).State;
      await remove();
      return { ...exitOf(ExitCode), outOfMemory: OOMKilled };
    } catch (error) {
      if (error instanceof EngineGone) onLeft(id);
      else await remove();
      return { code: null, signal: null, outOfMemory: false, lost: messageOf(error) };
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
        for (const signal of ['SIGINT', 'SIGTERM'] as const) {
          await send(signal);
          if (stream.destroyed || (await endsWithin(exited, grace))) return;
        }
        await send('SIGKILL');
      })();
    },
    flow(flows) {
      if (flows) stream.resume();
      else stream.pause();
    },
  };
}

/** The init process exits with 128 plus the number of the signal that killed its child. */
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
