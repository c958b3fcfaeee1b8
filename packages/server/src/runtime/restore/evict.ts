// Removes restored packages that have not been used for long: libraries, unlinked packages, Python environments.
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { openTasks } from '../../tasks/store.ts';
import type { Environment } from '../kinds/engine.ts';
import { storedLaunch } from '../launch-record.ts';
import { lastUse, markUsed } from './last-use.ts';
import { isComplete } from './python/restore-python.ts';
import { restoredInUse } from './store.ts';

export interface EvictOptions {
  /** Directory of all restored packages. */
  readonly directory: string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Seconds that they are kept after their last use; 0 for ever. */
  readonly retention: number;
  /** Limits removal to a path below the directory. */
  readonly within?: string;
  /** Stops early; the rest is removed the next time. */
  readonly signal?: AbortSignal;
  /** Removes what may belong to an account of content, as an unfinished environment does; by default only what is the server's. */
  readonly removeTree?: (path: string) => Promise<void>;
}

/** Microseconds after which unfinished work is a leftover of a lost server. */
const UNFINISHED = 86_400_000_000;

/**
 * Keeps what active deploys, drafts, processes or open tasks use, whatever its age: use is recorded for the first two,
 * and a task marks what it uses once it exists. Marking and eviction exclude each other, so that a restore either finds
 * the directory gone, or it stays. The first run removes nothing, since older servers did not record use. Returns what
 * was removed.
 */
export async function evictUnused(options: EvictOptions): Promise<string[]> {
  const { storage, clock, ids, log, retention, signal, removeTree = removeOwn } = options;
  const directory = (await realPath(options.directory)) ?? options.directory;
  const trash = join(directory, 'evicted');
  const within = join(directory, options.within ?? '', '/');
  const isFirst = (await realPath(trash)) === null;
  // Created one by one: parents must stay open to the accounts of content.
  await mkdir(directory, { recursive: true, mode: 0o755 });
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const evicted: string[] = [];

  /** Renamed first; a crash during removal leaves the rest to the next run. */
  async function evict(path: string): Promise<void> {
    await rename(path, join(trash, ids.taskId()));
    evicted.push(path);
  }

  /** Collects candidates before the exclusive part, in which other writers wait, and checks only those in it. */
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
    await removeTree(path).catch((error: unknown) => log.warn(error, 'removing %s', path));
  }
  return evicted;
}

const removeOwn = (path: string) => rm(path, { recursive: true, force: true });

async function pathsInUse(tx: Executor): Promise<Set<string>> {
  const { paths, launches, drafts } = await restoredInUse(tx);
  const ofDrafts = drafts.flatMap(
    (prepared) => (JSON.parse(prepared) as { environment: Environment | null }).environment?.readable ?? [],
  );
  const launched = launches.flatMap((launch) => storedLaunch(launch).environment.readable);
  // Much content uses the same.
  const named = new Set([...paths, ...launched, ...ofDrafts]);
  const used = await Promise.all([...named].map(realPath));
  return new Set(used.filter((path) => path !== null));
}

/** The package builds linked into libraries. */
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

/** Paths a number of levels below a directory; empty if it does not exist. */
export async function below(directory: string, depth: number): Promise<string[]> {
  const names = await readdir(directory).catch(absent<string[]>([]));
  const paths = names.map((name) => join(directory, name));
  if (depth === 1) return paths;
  return (await Promise.all(paths.map((path) => below(path, depth - 1)))).flat();
}

/** The data directory may have several names. Null if it does not exist. */
const realPath = (path: string) => realpath(path).catch(absent(null));

/** The default for a missing path; other errors must not look like that. */
function absent<T>(value: T) {
  return (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return value;
    throw error;
  };
}
