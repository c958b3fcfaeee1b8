// Removes restored packages that nobody has used for long: libraries, packages in none of them, Python environments.
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { openTasks } from '../../tasks/store.ts';
import type { Environment } from '../kinds/engine.ts';
import { storedLaunch } from '../launch-record.ts';
import { lastUse, markUsed } from './last-use.ts';
import { isComplete } from './restore-python.ts';
import { restoredInUse } from './store.ts';

export interface EvictOptions {
  /** Of all restored packages. */
  readonly directory: string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Seconds that they are kept after their last use; 0: for ever. */
  readonly retention: number;
  /** A path below the directory, to which the removal is limited. */
  readonly within?: string;
  /** Ends what takes long; the rest goes the next time. */
  readonly signal?: AbortSignal;
}

/** After which what was begun and never finished is a leftover of a server that is gone. */
const UNFINISHED = 86_400_000_000;

/**
 * What the active deploy of content, a draft, a process or an open task uses stays, whatever its age: the use of the first two
 * is recorded, and a task marks what it uses after it was made. Whoever restores marks in turn with this, so that
 * either it finds the directory gone, or the directory stays. The first time nothing goes: a server before this one
 * did not record what it used. Answers what was removed.
 */
export async function evictUnused(options: EvictOptions): Promise<string[]> {
  const { storage, clock, ids, log, retention, signal } = options;
  const directory = (await realPath(options.directory)) ?? options.directory;
  const trash = join(directory, 'evicted');
  const within = join(directory, options.within ?? '', '/');
  const isFirst = (await realPath(trash)) === null;
  // One by one: what is above must stay open to the accounts that content runs as.
  await mkdir(directory, { recursive: true, mode: 0o755 });
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const evicted: string[] = [];

  /** Out of sight at once; a crash while it is removed leaves it to the next time. */
  async function evict(path: string): Promise<void> {
    await rename(path, join(trash, ids.taskId()));
    evicted.push(path);
  }

  /** Looks at all before its turn, in which all others that write wait, and in its turn only at what may go. */
  async function evictOlder(all: readonly string[], microseconds: number): Promise<void> {
    const paths = all.filter((path) => path.startsWith(within));
    const limit = clock.now() - microseconds;
    const isOlder = async (path: string, than: number) => ((await lastUse(path)) ?? than) < than;
    const areOld = await Promise.all(paths.map((path) => isOlder(path, limit)));
    await storage.write(async (tx) => {
      const [oldest] = await openTasks(tx);
      const before = Math.min(limit, oldest?.created_time ?? limit);
      const used = await pathsInUse(tx);
      for (const [i, path] of paths.entries()) {
        if (isFirst || used.has(path)) await markUsed(path, clock.now());
        else if (areOld[i] && (await isOlder(path, before))) await evict(path);
      }
    });
  }

  const environments = await below(join(directory, 'Python'), 2);
  const areComplete = await Promise.all(environments.map(isComplete));
  await evictOlder(
    environments.filter((_, i) => !areComplete[i]),
    UNFINISHED,
  );
  if (retention > 0) {
    const roots = await below(join(directory, 'R'), 2);
    const listed = (name: string, depth: number) =>
      Promise.all(roots.map((root) => below(join(root, name), depth))).then((lists) => lists.flat());
    const kept = retention * 1_000_000;
    await evictOlder(
      [...environments.filter((_, i) => areComplete[i]), ...(await listed('libraries', 1))],
      kept,
    );
    const linked = await linkedPackages(await listed('libraries', 1));
    const packages = await listed('packages', 3);
    await evictOlder(
      packages.filter((path) => !linked.has(path)),
      kept,
    );
  }
  for (const path of await below(trash, 1)) {
    if (signal?.aborted) break;
    await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
      log.warn(error, 'removing %s', path),
    );
  }
  return evicted;
}

async function pathsInUse(tx: Executor): Promise<Set<string>> {
  const { paths, launches, drafts } = await restoredInUse(tx);
  const ofDrafts = drafts.flatMap(
    (prepared) => (JSON.parse(prepared) as { environment: Environment | null }).environment?.readable ?? [],
  );
  const launched = launches.flatMap((launch) => storedLaunch(launch).environment.readable);
  const used = await Promise.all([...paths, ...launched, ...ofDrafts].map(realPath));
  return new Set(used.filter((path) => path !== null));
}

/** The builds of packages that libraries have. */
async function linkedPackages(libraries: readonly string[]): Promise<Set<string>> {
  const linked = new Set<string>();
  for (const library of libraries) {
    for (const link of await below(library, 1)) {
      const target = await realPath(link);
      if (target !== null) linked.add(dirname(target));
    }
  }
  return linked;
}

/** What is so many levels below a directory; nothing where it is not there. */
export async function below(directory: string, depth: number): Promise<string[]> {
  const names = await readdir(directory).catch(absent<string[]>([]));
  const paths = names.map((name) => join(directory, name));
  if (depth === 1) return paths;
  return (await Promise.all(paths.map((path) => below(path, depth - 1)))).flat();
}

/** The data directory may be known by several names. Null for what is not there. */
const realPath = (path: string) => realpath(path).catch(absent(null));

/** In place of what is not there; an error that says nothing about that must not make it look so. */
function absent<T>(value: T) {
  return (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return value;
    throw error;
  };
}
