// Watches the disk usage of a process's writable paths.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { bytesOfDeleted } from './deleted-files.ts';

export interface DiskWatch {
  isOver(): boolean;
  stop(): void;
}

export interface DiskWatchOptions {
  /** The process; includes its children. */
  readonly pid: number | undefined;
  readonly paths: readonly string[];
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

export function watchDisk({ pid, paths, limit, du, onOver }: DiskWatchOptions): DiskWatch {
  const abort = new AbortController();
  let over = false;
  let bytesBefore: number | null = null;
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
    bytesBefore ??= bytes;
    filesBefore ??= files;
    const added = bytes === null || bytesBefore === null ? 0 : bytes + deleted - bytesBefore;
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
  if (limit > 0 && du !== null) timer = setTimeout(() => void count(), FIRST_MS).unref();
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
  signal: AbortSignal,
): Promise<number | null> {
  const args = ['--summarize', '--total', what, '--one-file-system', '--', ...paths];
  // Content decides how much it complains of, so that is read by nobody.
  const child = spawn(du, args, { env: { LC_ALL: 'C' }, signal, stdio: ['ignore', 'pipe', 'ignore'] });
  child.on('error', () => undefined);
  // Node creates no pipes if it runs out of file descriptors.
  const stdout = child.stdout as Readable | undefined;
  const output = stdout === undefined ? '' : await text(stdout).catch(() => '');
  const [, total] = /^(\d+)\ttotal$/m.exec(output) ?? [];
  return total === undefined ? null : Number(total);
}
