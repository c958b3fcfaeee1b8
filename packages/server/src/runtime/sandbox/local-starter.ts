// Starts confined processes on this machine, limits and ends them, and cleans up after them: everything that needs root
// to switch accounts.
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { endsWithin } from '../../platform/ends-within.ts';
import { messageOf } from '../../platform/errors.ts';
import { accountsWith, isNumbered, type Account } from './accounts.ts';
import { openChannel } from './channel.ts';
import type { Command } from './command.ts';
import { confine } from './confine.ts';
import { childrenOf, descendantsOf, look, send } from './descendants.ts';
import { ACCOUNTS_FD, READY_FD, SECCOMP_FD } from './descriptors.ts';
import { createUseAtStart, watchDisk } from './disk-use.ts';
import { fork, type Prepared } from './forks.ts';
import { hostFiles } from './hosts.ts';
import { giveFilter, probeIsolation } from './isolation.ts';
import { hidingMounts, systemMounts } from './mounts.ts';
import { removeTree } from './remove-tree.ts';
import { giveFiles, openRunDirectory } from './run-directory.ts';
import type { Exit, Output, Started, Starter, StarterOptions, StartRequest } from './starter.ts';
import { findTools } from './tools.ts';

/** Milliseconds that output may stay open after its process has ended: another process may hold it. */
const OUTPUT_GRACE_MS = 2000;

/** @throws if isolation is required but unavailable. */
export async function createLocalStarter(options: StarterOptions): Promise<Starter> {
  const { memory, processes, network, server, grace = 5000, tools = findTools() } = options;
  const { isolation, cgroups } = await probeIsolation({
    ...options,
    tools,
    separated: server !== undefined,
  });
  const directory = await openRunDirectory(options);
  const groups = (await cgroups?.list()) ?? [];
  // Their names end with the id of the process.
  const isLeft = (group: string) => directory.left.some((id) => group.endsWith(`-${id}`));
  await cgroups?.sweep(options.isAlone ? groups : groups.filter(isLeft));
  const system = [...(await systemMounts()), ...hidingMounts(options.hidden)];
  const limited = { limit: options.disk, du: tools.du };
  const useAtStart = createUseAtStart(limited);
  const running = new Set<Started>();
  /** By id. */
  const prepared = new Map<string, Prepared>();
  // Without namespaces, leftovers of forked processes would not end with their parent.
  const forks = isolation.mounts && tools.mkfifo !== null;

  async function start({ id, account, command }: StartRequest, onOutput: Output): Promise<Started> {
    await using made = new AsyncDisposableStack();
    // Its private directory is still empty.
    const counted = useAtStart(command.writable ?? []);
    const own = await directory.makePrivate(id, account);
    // The next start removes leftovers, and logs them: no other process fails for it.
    made.defer(() => removeTree(own).catch(() => undefined));
    const channel = command.prepares === true && forks ? `${own}c` : null;
    if (channel !== null) made.defer(() => removeTree(channel).catch(() => undefined));
    const orders = channel === null ? null : await openChannel(channel, account, tools);
    made.defer(() => void orders?.destroy());
    const cgroup = (await cgroups?.create(id, { memory, processes })) ?? null;
    made.defer(async () => cgroup?.remove());
    const use = await counted;
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
      channel,
    });
    const shown = isolation.mounts ? textsShown(command, account) : new Map<number, string>();
    const last = Math.max(READY_FD, ...shown.keys());
    const rest = Array.from({ length: last - READY_FD }, (_, i) =>
      shown.has(ACCOUNTS_FD + i) ? 'pipe' : 'ignore',
    );
    const child = spawn(confined.file, confined.args, {
      cwd: '/',
      // In a process group of its own, so that all of it can be killed.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', isolation.filtersCalls ? 'pipe' : 'ignore', 'pipe', ...rest],
      env: {},
    }) as ChildProcessWithoutNullStreams;
    // Node creates no pipes if it runs out of file descriptors.
    if ((child as Partial<typeof child>).stdin === undefined) {
      const [error] = (await once(child, 'error')) as [Error];
      throw error;
    }
    const kept = made.move();
    const runs = giveScript(child, confined.script);
    if (isolation.filtersCalls) giveFilter(child.stdio[SECCOMP_FD] as Writable);
    for (const [fd, text] of shown) (child.stdio.at(fd) as Writable).on('error', () => undefined).end(text);
    const disk = watchDisk({
      pid: child.pid,
      paths: [own, ...(command.writable ?? [])],
      use,
      ...limited,
      onOver: () => kill(child),
    });
    const exited = watch(child, onOutput).then(async (exit) => {
      disk.stop();
      const outOfMemory = (await cgroup?.ranOutOfMemory()) ?? false;
      await kept.disposeAsync();
      prepared.delete(id);
      running.delete(started);
      return { ...exit, outOfMemory, overDisk: disk.isOver() };
    });
    /** The first process in bubblewrap's namespace; undefined if it has ended. */
    const init = runs.then(() => firstChildOf(child.pid));
    let stopping = false;
    const started: Started = {
      pid: child.pid ?? 0,
      exited,
      stop() {
        if (stopping) return;
        stopping = true;
        // R notices no signal while it waits for an order.
        orders?.write('end\n');
        void (async () => {
          if (!(await endsWithin(runs, grace))) return killRunning(child);
          const inside = await firstChildOf(await init);
          await stop(child, isolation.mounts ? inside : child.pid, exited, grace);
        })();
      },
      flow(flows) {
        for (const stream of [child.stdout, child.stderr]) {
          if (flows) stream.resume();
          else stream.pause();
        }
      },
    };
    running.add(started);
    if (channel !== null && orders !== null) {
      const live = new Set<object>();
      const pid = async () => firstChildOf(await init);
      const sweep = async () => endStrays(await init, await pid());
      prepared.set(id, {
        account,
        command,
        own,
        pid,
        exited,
        channel,
        orders,
        onFork: disk.stop,
        sweep,
        live,
      });
    }
    return started;
  }

  return {
    isolation,
    containers: null,
    directory: directory.path,
    inside: isolation.mounts ? '/tmp' : null,
    start,
    forks,
    async fork({ of, ...request }, onOutput) {
      const from = prepared.get(of);
      if (!from) throw new Error('there is no such prepared process');
      const started = await fork(from, request, onOutput, { ...options, tools, cgroups, grace, useAtStart });
      running.add(started);
      void started.exited.then(() => running.delete(started));
      return started;
    },
    give: (path, account) => giveFiles(path, account, { server, isClosed: isolation.ownAccounts }),
    async removeLeftovers() {
      await cgroups?.sweep(groups);
      await directory.removeLeftovers();
    },
    async [Symbol.asyncDispose]() {
      for (const one of running) one.stop();
      await Promise.all([...running].map((one) => one.exited));
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Texts that bubblewrap shows as files, by the descriptor that it reads them from. */
function textsShown(command: Command, account: Account | null): Map<number, string> {
  const texts = new Map(hostFiles(command).map(({ fd, text }) => [fd, text]));
  return account && isNumbered(account) ? texts.set(ACCOUNTS_FD, accountsWith(account, '/tmp')) : texts;
}

/**
 * Sends the script once the last shell reports that it runs: by then every step before it ends with this server. If the
 * server is killed earlier, the shell has nothing to do and exits.
 * @returns once it runs, or never will
 */
function giveScript(child: ChildProcessWithoutNullStreams, script: string): Promise<void> {
  const stdin = child.stdin.on('error', () => undefined);
  stdin.write(`echo >&${READY_FD} && exec ${READY_FD}>&-\n`);
  const ready = child.stdio[READY_FD] as Readable;
  return new Promise((resolve) => {
    ready.once('data', () => {
      stdin.end(script);
      ready.destroy();
    });
    ready.on('error', () => undefined).once('close', resolve);
  });
}

/** Its exit, after all its output. Leftover processes in its group are killed. */
async function watch(
  child: ChildProcessWithoutNullStreams,
  onOutput: Output,
): Promise<Omit<Exit, 'outOfMemory' | 'overDisk'>> {
  const [stdout, stderr] = [child.stdout, child.stderr];
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

async function firstChildOf(pid: number | undefined): Promise<number | undefined> {
  return pid === undefined ? undefined : (await childrenOf(pid))[0];
}

/** Kills processes whose parent is the namespace's first process. */
async function endStrays(init: number | undefined, main: number | undefined): Promise<void> {
  const first = init === undefined ? null : await look(init);
  if (first === null) return;
  const kept = main === undefined ? null : await look(main);
  const own = new Set((kept ? await descendantsOf(kept) : []).map(({ pid }) => pid));
  for (const one of await descendantsOf(first))
    if (one.pid !== init && !own.has(one.pid)) send(one, 'SIGKILL');
}

async function stop(
  child: ChildProcess,
  target: number | undefined,
  exited: Promise<unknown>,
  grace: number,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // What has ended by then gets none, and its exit follows. As in a terminal, its children get it, too: it may wait for
    // them.
    const top = target === undefined ? null : await look(target);
    for (const one of top === null ? [] : await descendantsOf(top)) send(one, signal);
    if (await endsWithin(exited, grace)) return;
  }
  killRunning(child);
}

function killRunning(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) kill(child);
}

/** Kills the whole process group. */
function kill(child: ChildProcess): void {
  if (child.pid) send({ pid: -child.pid }, 'SIGKILL');
}
