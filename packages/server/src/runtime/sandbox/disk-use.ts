// Watches the disk usage of a process's writable paths.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { bytesOfDeleted } from './deleted-files.ts';

export interface DiskWatch {
  isOver(): boolean;
  stop(): void;
}

export interface DiskWatchOptions {
  /** The process; includes its children. */
  readonly pid: number | undefined;
  readonly paths: readonly string[];
  readonly use: UseAtStart;
  /** Bytes in addition to the initial usage; 0 for no limit. */
  readonly limit: number;
  /** Path of `du`; null turns watching off. */
  readonly du: string | null;
  readonly onOver: () => void;
}

const FIRST_MS = 500;
const PERIOD_MS = 2000;
/** Minimum for each file and directory: empty ones use up the disk, too. */
const MIN_BYTES = 4096;
/** The number of files is counted every third time: counting twice takes twice as long, and so do the pauses. */
const FILES_EVERY = 3;
/** Counting takes at most this fraction of the time. */
const PAUSE_FACTOR = 20;

/** Directories whose initial usage is remembered. */
const MAX_REMEMBERED = 10_000;

export interface UseAtStart {
  /** Bytes before the first process that may write there; null if there is no limit, or they cannot be counted. */
  readonly before: number | null;
  /** Whether earlier processes have added more than the limit. */
  readonly isOver: boolean;
}

/**
 * To be asked before a process can write: it could exceed its limit before the first count of a watch. The initial usage
 * of a directory is remembered: otherwise each process could add as much as the limit to what earlier ones left.
 */
export function createUseAtStart({
  limit,
  du,
}: Pick<DiskWatchOptions, 'limit' | 'du'>): (paths: readonly string[]) => Promise<UseAtStart> {
  const first = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return async (paths) => {
    const unknown = { before: null, isOver: false };
    if (limit === 0 || du === null) return unknown;
    let [before, now] = [0, 0];
    for (const path of paths) {
      const bytes = await totalBelow(du, '--block-size=1', [path]);
      if (bytes === null) return unknown;
      const known = first.get(path) ?? bytes;
      first.set(path, known);
      before += known;
      now += bytes;
    }
    return { before, isOver: now - before > limit };
  };
}

export function watchDisk({ pid, paths, use, limit, du, onOver }: DiskWatchOptions): DiskWatch {
  const abort = new AbortController();
  let over = use.isOver;
  let bytesAtFirst = use.before;
  let filesBefore: number | null = null;
  let counts = 0;
  let timer: NodeJS.Timeout | undefined;

  async function count(): Promise<void> {
    const begun = performance.now();
    const bytes = await totalBelow(du!, '--block-size=1', paths, abort.signal);
    const deleted = pid === undefined ? 0 : await bytesOfDeleted(pid, paths);
    const isOfFiles = counts % FILES_EVERY === 0;
    const files = isOfFiles ? await totalBelow(du!, '--inodes', paths, abort.signal) : null;
    if (abort.signal.aborted) return;
    counts += 1;
    bytesAtFirst ??= bytes;
    filesBefore ??= files;
    const added = bytes === null || bytesAtFirst === null ? 0 : bytes + deleted - bytesAtFirst;
    const addedFiles = files === null || filesBefore === null ? 0 : files - filesBefore;
    if (Math.max(added, addedFiles * MIN_BYTES) > limit) {
      over = true;
      onOver();
      return;
    }
    const pause = Math.max(PERIOD_MS, (performance.now() - begun) * PAUSE_FACTOR);
    timer = setTimeout(() => void count(), pause).unref();
  }

  // Short-lived processes are not worth counting.
  if (over) onOver();
  else if (limit > 0 && du !== null) timer = setTimeout(() => void count(), FIRST_MS).unref();
  return {
    isOver: () => over,
    stop() {
      abort.abort();
      clearTimeout(timer);
    },
  };
}

/** Files that appear and vanish during counting are fine. Null if the program could not be started. */
async function totalBelow(
  du: string,
  what: '--block-size=1' | '--inodes',
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<number | null> {
  const args = ['--summarize', '--total', what, '--one-file-system', '--', ...paths];
  // Content decides how much it complains of, so that is read by nobody.
  const child = spawn(du, args, {
    env: { LC_ALL: 'C' },
    ...(signal && { signal }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.on('error', () => undefined);
  // Node creates no pipes if it runs out of file descriptors.
  const stdout = child.stdout as Readable | undefined;
  const output = stdout === undefined ? '' : await text(stdout).catch(() => '');
  const [, total] = /^(\d+)\ttotal$/m.exec(output) ?? [];
  return total === undefined ? null : Number(total);
}
