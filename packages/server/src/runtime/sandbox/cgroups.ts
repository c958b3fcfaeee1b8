// Control groups, version 1 or 2, for limits on the memory and the processes of a whole process tree.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignore } from '../../platform/errors.ts';

export interface Cgroups {
  readonly version: 1 | 2;
  /** @param memory bytes; 0 for no limit. @param processes including threads; 0 for no limit. */
  create(name: string, limits: { memory: number; processes: number }): Promise<Cgroup>;
  /** Names of all groups of servers of the same data directory, except those of a server that is starting. */
  list(): Promise<string[]>;
  /** Removes listed groups, with their processes. */
  sweep(names: readonly string[]): Promise<void>;
}

export interface Cgroup {
  /** Files to which a process writes its pid to join. */
  readonly joins: readonly string[];
  /** Adds a running process and its future children. */
  add(pid: number): Promise<void>;
  /** Whether one of its processes was killed for lack of memory. */
  ranOutOfMemory(): Promise<boolean>;
  /** Kills remaining processes, including those that left their process group, and removes it. */
  remove(): Promise<void>;
}

const ROOT = '/sys/fs/cgroup';
const PROBE = 'probe-';

/** Null if this server may not create control groups. @param dataDir identifies the server; absent for a probe */
export async function findCgroups(dataDir?: string, root = ROOT): Promise<Cgroups | null> {
  const prefix = `pressroom-${await ownerOf(dataDir)}-`;
  const isSecond = existsSync(join(root, 'cgroup.controllers'));
  const cgroups = isSecond ? await version2(root, prefix) : version1(root, prefix);
  try {
    const group = await cgroups.create(`${PROBE}${process.pid}`, { memory: 2 ** 30, processes: 100 });
    await group.remove();
    return cgroups;
  } catch {
    return null;
  }
}

/** Containers may share control groups while their directories have the same names. */
async function ownerOf(dataDir: string | undefined): Promise<string> {
  const found = dataDir === undefined ? null : await stat(dataDir).catch(() => null);
  return found ? hash('sha256', `${dataDir} ${found.dev} ${found.ino}`, 'hex').slice(0, 12) : 'look';
}

function version1(root: string, prefix: string): Cgroups {
  const parents = [join(root, 'memory'), join(root, 'pids')];
  return {
    version: 1,
    list: () => list(parents, prefix),
    sweep: (names) => sweep(parents, names),
    async create(name, { memory, processes }) {
      const group = prefix + name;
      const [forMemory, forProcesses] = [join(root, 'memory', group), join(root, 'pids', group)];
      const paths = [forMemory, forProcesses];
      for (const path of paths) await makeGroup(path);
      if (memory > 0) await writeFile(join(forMemory, 'memory.limit_in_bytes'), String(memory));
      if (processes > 0) await writeFile(join(forProcesses, 'pids.max'), String(processes));
      return {
        joins: paths.map((path) => join(path, 'cgroup.procs')),
        add: (pid) => addTo(paths, pid),
        ranOutOfMemory: () => oomKills(join(forMemory, 'memory.oom_control')),
        remove: () => removeAll(paths),
      };
    },
  };
}

/** Groups are siblings of the server's own, since a group with processes cannot delegate controllers. */
async function version2(root: string, prefix: string): Promise<Cgroups> {
  const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  const parent = join(root, own === '/' ? '/' : join(own, '..'));
  return {
    version: 2,
    list: () => list([parent], prefix),
    sweep: (names) => sweep([parent], names),
    async create(name, { memory, processes }) {
      await writeFile(join(parent, 'cgroup.subtree_control'), '+memory +pids');
      const path = join(parent, prefix + name);
      await makeGroup(path);
      if (memory > 0) {
        await writeFile(join(path, 'memory.max'), String(memory));
        await writeFile(join(path, 'memory.swap.max'), '0').catch(() => undefined);
      }
      if (processes > 0) await writeFile(join(path, 'pids.max'), String(processes));
      return {
        joins: [join(path, 'cgroup.procs')],
        add: (pid) => addTo([path], pid),
        ranOutOfMemory: () => oomKills(join(path, 'memory.events')),
        remove: () => removeAll([path]),
      };
    },
  };
}

/** Not `recursive`: without control groups mounted, Node.js would retry for ever. */
async function makeGroup(path: string): Promise<void> {
  await mkdir(path).catch(ignore('EEXIST'));
}

async function list(parents: readonly string[], prefix: string): Promise<string[]> {
  const names = await Promise.all(parents.map((parent) => readdir(parent).catch(() => [])));
  const found = names.flat().filter((name) => name.startsWith(prefix));
  return [...new Set(found)].filter((name) => !name.startsWith(`${prefix}${PROBE}`));
}

async function sweep(parents: readonly string[], names: readonly string[]): Promise<void> {
  await Promise.all(parents.flatMap((parent) => names.map((name) => removeAll([join(parent, name)]))));
}

async function addTo(paths: readonly string[], pid: number): Promise<void> {
  for (const path of paths) await writeFile(join(path, 'cgroup.procs'), String(pid));
}

async function oomKills(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
}

/** The kernel needs a moment after the last process has ended. */
async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (let tries = 0; tries < 50; tries++) {
      await killAll(join(path, 'cgroup.procs'));
      const error = await rmdir(path).then(
        () => null,
        (failure: NodeJS.ErrnoException) => failure,
      );
      if (!error || error.code === 'ENOENT') break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function killAll(file: string): Promise<void> {
  const pids = await readFile(file, 'utf8').catch(() => '');
  // 0 means a process outside this namespace; to kill, it would mean this server's group.
  for (const pid of pids
    .split('\n')
    .map(Number)
    .filter((number) => number > 0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}
