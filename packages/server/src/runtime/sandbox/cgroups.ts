// Control groups, version 1 or 2, for limits on the memory and the processes of a whole process tree.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../platform/errors.ts';

export interface Cgroups {
  readonly version: 1 | 2;
  /** @param memory bytes; 0 is no limit. @param processes threads count too; 0 is no limit. */
  create(name: string, limits: { memory: number; processes: number }): Promise<Cgroup>;
  /** Removes what servers of the same data directory left that were killed, with the processes in it. None may run. */
  sweep(): Promise<void>;
}

export interface Cgroup {
  /** Files that a process writes its pid to, to join. */
  readonly joins: readonly string[];
  /** Takes in a process that runs already, with what it starts from then on. */
  add(pid: number): Promise<void>;
  /** Whether a process of it was killed for want of memory. */
  ranOutOfMemory(): Promise<boolean>;
  /** Ends what is left in it: processes that left their group and their parents are still here. */
  remove(): Promise<void>;
}

const ROOT = '/sys/fs/cgroup';

/** Null when this server may not make control groups. @param dataDir whose server it is; none: only looks */
export async function findCgroups(dataDir?: string, root = ROOT): Promise<Cgroups | null> {
  const prefix = `pressroom-${await ownerOf(dataDir)}-`;
  const isSecond = existsSync(join(root, 'cgroup.controllers'));
  const cgroups = isSecond ? await version2(root, prefix) : version1(root, prefix);
  try {
    const group = await cgroups.create(`probe-${process.pid}`, { memory: 2 ** 30, processes: 100 });
    await group.remove();
    return cgroups;
  } catch {
    return null;
  }
}

/** Containers may share control groups, and call different directories the same. */
async function ownerOf(dataDir: string | undefined): Promise<string> {
  const found = dataDir === undefined ? null : await stat(dataDir).catch(() => null);
  return found ? hash('sha256', `${dataDir} ${found.dev} ${found.ino}`, 'hex').slice(0, 12) : 'look';
}

function version1(root: string, prefix: string): Cgroups {
  const parents = [join(root, 'memory'), join(root, 'pids')];
  return {
    version: 1,
    sweep: () => sweep(parents, prefix),
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

/** Groups beside the server's own, since a group with processes of its own may not pass controllers on. */
async function version2(root: string, prefix: string): Promise<Cgroups> {
  const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  const parent = join(root, own === '/' ? '/' : join(own, '..'));
  return {
    version: 2,
    sweep: () => sweep([parent], prefix),
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

/** Not `recursive`: where no control groups are mounted, Node.js would try for ever. */
async function makeGroup(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
}

async function sweep(parents: readonly string[], prefix: string): Promise<void> {
  const names = await Promise.all(parents.map((parent) => readdir(parent).catch(() => [])));
  const left = parents.flatMap((parent, i) =>
    names[i]!.filter((name) => name.startsWith(prefix)).map((name) => join(parent, name)),
  );
  await Promise.all(left.map((path) => removeAll([path])));
}

async function addTo(paths: readonly string[], pid: number): Promise<void> {
  for (const path of paths) await writeFile(join(path, 'cgroup.procs'), String(pid));
}

async function oomKills(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
}

/** The kernel takes a moment to forget the last process. */
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
  // 0 stands for one that this server cannot see; to kill, it means this server.
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
