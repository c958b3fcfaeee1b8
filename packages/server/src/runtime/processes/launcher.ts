// Starts processes of content: confined as far as the machine allows, their output in lines, stopped step by step.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, lstat, mkdir, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { hash } from 'node:crypto';
import { ApiError } from '@pressroom/api';
import type { Ids } from '../../config/clock.ts';
import { findAccount, type Account } from './accounts.ts';
import { confine, type Command } from './confine.ts';
import { hidingMounts, systemMounts, type Isolation } from './isolation.ts';
import { createLineSplitter } from './lines.ts';

export interface LaunchOptions {
  /** Account to run as; null: the one that content runs as by default. */
  readonly runAs: string | null;
  readonly onLine: (line: string) => void;
  /** @param directory private to the process and writable, as it will see it: for sockets and temporary files. */
  readonly command: (directory: string) => Command;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly outOfMemory: boolean;
  /** "ended with code 1", "was killed by SIGSEGV", "ran out of memory (limit 512 MiB)". */
  readonly says: string;
}

export interface Launched {
  /** The process' private directory as this server sees it; gone with the process. */
  readonly directory: string;
  readonly pid: number;
  /** Once it and its output have ended. */
  readonly ended: Promise<Ending>;
  /** SIGINT, then SIGTERM, then SIGKILL to all of it, with a grace of some seconds after each. */
  stop(): Promise<Ending>;
}

export interface Launcher extends AsyncDisposable {
  readonly isolation: Isolation;
  launch(options: LaunchOptions): Promise<Launched>;
  /** Runs to the end. @throws the signal's reason when it is aborted: the process is stopped then. */
  run(options: LaunchOptions & { signal: AbortSignal }): Promise<Ending>;
  /** The account that a process would run as; null: this server's own. @throws ApiError 57 */
  accountFor(runAs: string | null): Account | null;
}

export interface LauncherOptions {
  readonly dataDir: string;
  /** Whether no other server uses the data directory. */
  readonly isAlone: boolean;
  readonly isolation: Isolation;
  readonly ids: Ids;
  /** Bytes for a process and all it starts; 0 is no limit. */
  readonly memory: number;
  /** Processes and threads together; 0 is no limit. */
  readonly processes: number;
  /** Absolute paths that content must never see: the data directory, the settings file. */
  readonly hidden: readonly string[];
  /** Whether content may use the network. */
  readonly network: boolean;
  /** Milliseconds after each signal of a stop. */
  readonly grace?: number;
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
/** How long output may stay open once its process has ended: another process may hold it. */
const OUTPUT_GRACE_MS = 2000;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

export async function createLauncher(options: LauncherOptions): Promise<Launcher> {
  const { isolation, ids, memory, processes, network, grace = 5000 } = options;
  const directories = await makeRunDirectory(options);
  const system = [...(await systemMounts()), ...hidingMounts(options.hidden)];
  const confinement = { isolation, memory, processes, network, system };
  const running = new Set<Launched>();

  function accountFor(runAs: string | null): Account | null {
    if (runAs === null) return isolation.account;
    const account = findAccount(runAs);
    if (!account) throw new ApiError(57, { message: `there is no account ${runAs} on this server` });
    if (account.uid === process.getuid?.()) return null;
    if (isolation.switchesAccounts) return account;
    throw new ApiError(57, { message: `this server cannot run content as ${runAs}: it is not run by root` });
  }

  async function launch({ runAs, onLine, command: commandFor }: LaunchOptions): Promise<Launched> {
    const account = accountFor(runAs);
    const id = ids.taskId();
    const directory = join(directories, id);
    await mkdir(directory, { mode: 0o700 });
    if (account) await chown(directory, account.uid, account.gid);
    const cgroup = (await isolation.cgroups?.create(id, { memory, processes })) ?? null;
    const inside = isolation.mounts ? '/tmp' : directory;
    const command = commandFor(inside);
    const [file, ...args] = confine(command, { ...confinement, account, directory, cgroup });
    const child = spawn(file!, args, {
      cwd: '/',
      // A group of its own, so that all of it can be ended.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', isolation.mounts ? 'pipe' : 'ignore'],
      env: {
        PATH: SYSTEM_PATH,
        HOME: inside,
        LANG: 'C.UTF-8',
        TMPDIR: inside,
        USER: account?.name ?? 'content',
        ...command.env,
      },
    });
    const ended = watch(child, onLine).then(async (exit) => {
      const outOfMemory = (await cgroup?.ranOutOfMemory()) ?? false;
      await cgroup?.remove();
      await rm(directory, { recursive: true, force: true });
      running.delete(launched);
      return describe(exit, outOfMemory, memory);
    });
    const init = isolation.mounts ? readInfo(child) : null;
    const launched: Launched = {
      directory,
      pid: child.pid ?? 0,
      ended,
      stop: async () => stop(child, init ? await innerPid(await init) : child.pid, ended, grace),
    };
    running.add(launched);
    return launched;
  }

  return {
    isolation,
    accountFor,
    launch,
    async run({ signal, ...rest }) {
      signal.throwIfAborted();
      const launched = await launch(rest);
      const onAbort = () => void launched.stop();
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      const ending = await launched.ended;
      signal.removeEventListener('abort', onAbort);
      signal.throwIfAborted();
      return ending;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((launched) => launched.stop()));
      await rm(directories, { recursive: true, force: true });
      // Unless another server of the same data directory has its own in it.
      await rmdir(dirname(directories)).catch(() => undefined);
    },
  };
}

/**
 * Where the private directories of processes are. Not in the data directory: the path of a unix socket has at most
 * 107 bytes. What servers that crashed left is removed by the next one that is alone.
 */
async function makeRunDirectory({ dataDir, isAlone, ids }: LauncherOptions): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const path = join(tmpdir(), `pressroom-${uid}-${hash('sha256', dataDir, 'hex').slice(0, 12)}`);
  await mkdir(path, { mode: 0o711 }).catch(() => undefined);
  const stat = await lstat(path);
  if (!stat.isDirectory() || stat.uid !== uid) throw new Error(`${path} belongs to somebody else`);
  if (isAlone) await rm(path, { recursive: true });
  const own = join(path, ids.taskId());
  for (const directory of [path, own]) await mkdir(directory, { recursive: true, mode: 0o711 });
  return own;
}

/** Its exit, once all it printed has been given out. What it started and left behind in its group ends with it. */
async function watch(child: ChildProcess, onLine: (line: string) => void): Promise<Exit> {
  for (const stream of [child.stdout!, child.stderr!]) {
    const splitter = createLineSplitter(onLine);
    stream.on('data', (chunk: Buffer) => splitter.write(chunk)).on('end', () => splitter.end());
  }
  let late: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    send(-child.pid!, 'SIGKILL');
    late = setTimeout(
      () => [child.stdout!, child.stderr!].map((stream) => stream.destroy()),
      OUTPUT_GRACE_MS,
    );
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code, signal };
  } catch (error) {
    return { code: null, signal: null, error: error as Error };
  } finally {
    clearTimeout(late);
  }
}

/** The pid of the first process in bubblewrap's namespace, which bubblewrap itself is. */
async function readInfo(child: ChildProcess): Promise<number | null> {
  let text = '';
  for await (const chunk of child.stdio[3] as Readable) text += String(chunk);
  const pid = /"child-pid": (\d+)/.exec(text)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** The process that bubblewrap was asked to start; undefined when there is none yet or any more. */
async function innerPid(init: number | null): Promise<number | undefined> {
  const children = await readFile(`/proc/${init}/task/${init}/children`, 'utf8').catch(() => '');
  return Number(children.split(' ')[0]) || undefined;
}

async function stop(
  child: ChildProcess,
  target: number | undefined,
  ended: Promise<Ending>,
  grace: number,
): Promise<Ending> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (target !== undefined && send(target, signal) && (await endsWithin(ended, grace))) return ended;
  }
  if (child.exitCode === null && child.signalCode === null && child.pid) send(-child.pid, 'SIGKILL');
  return ended;
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function endsWithin(ended: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([ended.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function describe({ code, signal, error }: Exit, outOfMemory: boolean, memory: number): Ending {
  const exit = signal === null ? `ended with code ${code}` : `was killed by ${signal}`;
  const says = outOfMemory
    ? `ran out of memory (limit ${Math.round(memory / 2 ** 20)} MiB)`
    : error
      ? `could not be started: ${error.message}`
      : exit;
  return { code, signal, outOfMemory, says };
}
