// Starts confined processes, limits and ends them, and cleans up after them: all that needs root where accounts are switched.
import { spawn, type ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../platform/errors.ts';
import type { Account } from './accounts.ts';
import { confine, type Command } from './confine.ts';
import { INFO_FD, SECCOMP_FD } from './descriptors.ts';
import { watchDisk } from './disk-use.ts';
import { giveTree } from './give-tree.ts';
import { giveFilter, probeIsolation, type Isolation } from './isolation.ts';
import { hidingMounts, systemMounts } from './mounts.ts';
import { removeTree } from './remove-tree.ts';
import { findTools, type Tools } from './tools.ts';

export interface StartRequest {
  /** Names the private directory: letters and digits. */
  readonly id: string;
  /** Null: this server's own. */
  readonly account: Account | null;
  readonly command: Command;
}

export type Output = (chunk: Buffer, from: 'stdout' | 'stderr') => void;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly outOfMemory: boolean;
  readonly overDisk: boolean;
  /** Why it could not be started. */
  readonly error?: string | undefined;
}

export interface Started {
  readonly pid: number;
  /** Once it and its output have ended, and its private directory is gone. */
  readonly exited: Promise<Exit>;
  /** SIGINT, then SIGTERM, then SIGKILL to all of it, with a grace after each. */
  stop(): void;
  /** Whether its output may flow, for whoever cannot take it as fast as it comes. */
  flow(flows: boolean): void;
}

export interface Starter extends AsyncDisposable {
  readonly isolation: Isolation;
  /** Private directories of processes are in it, by their ids. */
  readonly directory: string;
  start(request: StartRequest, onOutput: Output): Promise<Started>;
  /** Makes a tree of files that of an account; null: of this server's own again. */
  give(path: string, account: Account | null): Promise<void>;
}

export interface StarterOptions {
  readonly dataDir: string;
  /** Whether no other server uses the data directory. */
  readonly isAlone: boolean;
  readonly mode: 'auto' | 'required' | 'off';
  /** `Applications.RunAs`. */
  readonly runAs: string;
  /** Names the directory of this start: letters and digits. */
  readonly id: string;
  /** Bytes for a process and all it starts; 0 is no limit. */
  readonly memory: number;
  /** Processes and threads together; 0 is no limit. */
  readonly processes: number;
  /** Bytes that a process may add to what it can write; 0 is no limit. */
  readonly disk: number;
  /** Absolute paths that content must never see: the data directory, the settings file. */
  readonly hidden: readonly string[];
  /** Whether content may use the network. */
  readonly network: boolean;
  /** The account of the server where that is another one than this process'. */
  readonly server?: Account;
  readonly whyNotSeparated?: string | undefined;
  /** Milliseconds after each signal of a stop. */
  readonly grace?: number;
  /** The programs that confine, by default those of the system. */
  readonly tools?: Tools;
}

/** How long output may stay open once its process has ended: another process may hold it. */
const OUTPUT_GRACE_MS = 2000;

/** @throws when isolation is required and not to be had. */
export async function createStarter(options: StarterOptions): Promise<Starter> {
  const { memory, processes, network, server, grace = 5000, tools = findTools() } = options;
  const { isolation, cgroups } = await probeIsolation({
    ...options,
    tools,
    separated: server !== undefined,
  });
  const directory = await makeRunDirectory(options);
  const system = [...(await systemMounts()), ...hidingMounts(options.hidden)];
  const running = new Set<Started>();

  /** Its owner writes in it; the server, by its group, reaches the socket that is made in it. */
  async function makePrivate(path: string, account: Account | null): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    if (!account) return;
    await chown(path, account.uid, server?.gid ?? account.gid);
    if (server) await chmod(path, 0o2770);
  }

  async function start({ id, account, command }: StartRequest, onOutput: Output): Promise<Started> {
    const own = join(directory, id);
    await makePrivate(own, account);
    const cgroup = (await cgroups?.create(id, { memory, processes })) ?? null;
    const confined = confine(command, {
      isolation,
      tools,
      system,
      memory,
      processes,
      fileSize: options.disk,
      network,
      account,
      directory: own,
      cgroup,
    });
    const child = spawn(confined.file, confined.args, {
      cwd: '/',
      // A group of its own, so that all of it can be ended.
      detached: true,
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        isolation.mounts ? 'pipe' : 'ignore',
        isolation.filtersCalls ? 'pipe' : 'ignore',
      ],
      env: {},
    });
    child.stdin!.on('error', () => undefined).end(confined.script);
    if (isolation.filtersCalls) giveFilter(child.stdio[SECCOMP_FD] as Writable);
    const disk = watchDisk({
      pid: child.pid,
      paths: [own, ...(command.writable ?? [])],
      limit: options.disk,
      du: tools.du,
      onOver: () => kill(child),
    });
    const exited = watch(child, onOutput).then(async (exit) => {
      disk.stop();
      const outOfMemory = (await cgroup?.ranOutOfMemory()) ?? false;
      await cgroup?.remove();
      // What cannot be removed is left to the next start, which says so: nobody else's process ends for it.
      await removeTree(own).catch(() => undefined);
      running.delete(started);
      return { ...exit, outOfMemory, overDisk: disk.isOver() };
    });
    const init = isolation.mounts ? readInfo(child).catch(() => null) : null;
    let stopping = false;
    const started: Started = {
      pid: child.pid ?? 0,
      exited,
      stop() {
        if (stopping) return;
        stopping = true;
        void (async () => {
          const target = init ? await innerPid(await init) : child.pid;
          await stop(child, target, exited, grace);
        })();
      },
      flow(flows) {
        for (const stream of [child.stdout!, child.stderr!]) {
          if (flows) stream.resume();
          else stream.pause();
        }
      },
    };
    running.add(started);
    return started;
  }

  return {
    isolation,
    directory,
    start,
    async give(path, account) {
      if (process.getuid!() !== 0) return;
      const own = server ?? { uid: 0, gid: 0 };
      // The server may look, by its group, where other content may not.
      const isClosed = account !== null && isolation.ownAccounts;
      const { uid, gid } =
        account === null ? own : { uid: account.uid, gid: isClosed ? own.gid : account.gid };
      await giveTree(path, { uid, gid }, isClosed ? 0o750 : null);
    },
    async [Symbol.asyncDispose]() {
      for (const one of running) one.stop();
      await Promise.all([...running].map((one) => one.exited));
      await removeTree(directory);
      // Unless another server of the same data directory has its own in it.
      await rmdir(dirname(directory)).catch(() => undefined);
    },
  };
}

/**
 * Where the private directories of processes are. Not in the data directory: the path of a unix socket has at most
 * 107 bytes. What servers that crashed left is removed by the next one that is alone.
 */
async function makeRunDirectory({ dataDir, isAlone, id }: StarterOptions): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const path = join(tmpdir(), `pressroom-${uid}-${hash('sha256', dataDir, 'hex').slice(0, 12)}`);
  await mkdir(path, { mode: 0o711 }).catch(() => undefined);
  const stat = await lstat(path);
  // From here on it is nobody else's to replace: /tmp has the sticky bit. It is never made a second time for that.
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o022) !== 0)
    throw new Error(`${path} belongs to somebody else`);
  if (isAlone) for (const left of await readdir(path)) await removeTree(join(path, left));
  const own = join(path, id);
  await mkdir(own, { mode: 0o711 });
  return own;
}

/** Its exit, once all it printed has been given out. What it started and left behind in its group ends with it. */
async function watch(child: ChildProcess, onOutput: Output): Promise<Omit<Exit, 'outOfMemory' | 'overDisk'>> {
  const [stdout, stderr] = [child.stdout!, child.stderr!];
  stdout.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'));
  stderr.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'));
  let late: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    kill(child);
    late = setTimeout(() => [stdout, stderr].map((stream) => stream.destroy()), OUTPUT_GRACE_MS);
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code, signal };
  } catch (error) {
    return { code: null, signal: null, error: messageOf(error) };
  } finally {
    clearTimeout(late);
  }
}

/** The pid of the first process in bubblewrap's namespace, which bubblewrap itself is. */
async function readInfo(child: ChildProcess): Promise<number | null> {
  let text = '';
  for await (const chunk of child.stdio[INFO_FD] as Readable) text += String(chunk);
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
  exited: Promise<unknown>,
  grace: number,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (target !== undefined && send(target, signal) && (await endsWithin(exited, grace))) return;
  }
  if (child.exitCode === null && child.signalCode === null) kill(child);
}

/** Ends all of its group at once. */
function kill(child: ChildProcess): void {
  if (child.pid) send(-child.pid, 'SIGKILL');
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
