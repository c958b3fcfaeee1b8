// One container for one process: create, attach, start, end, remove.
import { constants } from 'node:os';
import type Docker from 'dockerode';
import { endsWithin } from '../../../platform/ends-within.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { Exit, Output, Started } from '../starter.ts';
import { createDemultiplexer } from './demultiplex.ts';
import { EngineGone, EngineRefusal, type Engine } from './engine.ts';

export interface ContainerRequest {
  readonly engine: Engine;
  readonly name: string;
  readonly options: Docker.ContainerCreateOptions;
  /** Standard input of the shell in it. */
  readonly script: string;
  readonly onOutput: Output;
  /** Milliseconds after each signal of a stop. */
  readonly grace: number;
  /** Called with the id of a container that could not be removed because the engine is unreachable. */
  readonly onLeft: (id: string, reason: EngineGone) => void;
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

/** @throws EngineGone, EngineRefusal */
export async function runContainer(request: ContainerRequest): Promise<RunningContainer> {
  const { engine, name, options, script, onOutput, grace, onLeft } = request;
  const { id } = await engine.ask((docker) => docker.createContainer({ ...options, name }));
  const ask = <T>(question: (container: Docker.Container) => Promise<T>, milliseconds?: number) =>
    engine.ask((docker) => question(docker.getContainer(id)), milliseconds);

  async function remove(): Promise<void> {
    await ask((container) => container.remove({ force: true, v: true })).catch((error: unknown) => {
      if (error instanceof EngineGone) onLeft(id, error);
      // It was removed, or is being removed, already.
      else if (!(error instanceof EngineRefusal && [404, 409].includes(error.status))) throw error;
    });
  }

  let stream: NodeJS.ReadWriteStream;
  let closed: Promise<void>;
  let pid: number;
  try {
    stream = await ask((container) => container.attach(ATTACH));
    // The end that follows reports the error.
    stream.on('error', () => undefined).on('data', createDemultiplexer(onOutput));
    // The stream may end before anybody waits, and after an error, for which `once` would reject.
    const over = Promise.withResolvers<void>();
    stream.on('close', over.resolve);
    closed = over.promise;
    await ask((container) => container.start());
    // After the body.
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
