// Copies output of content's code into a directory of the server's own: regular files only, within limits.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errors } from '@pressroom/api/contract';
import { orAborted } from '../platform/or-aborted.ts';

export interface OutputLimits {
  /** As a limit, also for directories. */
  readonly files: number;
  readonly bytes: number;
}

export interface CollectOptions {
  readonly limits?: OutputLimits;
  /** Bytes of disk space that stay free; absent for no reserve. */
  readonly reserve?: number;
  /** Whether copies keep the modification times, in whole seconds. */
  readonly keepTimes?: boolean;
  readonly signal?: AbortSignal;
  /** Called with what is left out: links, devices, pipes; at most a few lines. */
  readonly print?: (line: string) => void;
}

/** Messages of the worker thread: a line to print, or the result. */
type Message =
  | { readonly line: string }
  | { readonly copied: OutputLimits }
  | { readonly tooMuch: string }
  | { readonly failed: string; readonly code?: string };

const OUTPUT_LIMITS: OutputLimits = { files: 100_000, bytes: 10 * 2 ** 30 };
/** Next to this file, and next to the built bundle. */
const COPY_TREE = join(import.meta.dirname, 'copy-tree.cjs');

/**
 * Copies a tree that untrusted code may have written, and may still be able to change: links are not followed, and
 * copies are new files of the server's account, 0644 or 0755, never hard links.
 * @param to is created, and must not exist.
 * @throws ApiError 1 beyond the limits or the disk space.
 */
export async function collectOutput(
  from: string,
  to: string,
  {
    limits = OUTPUT_LIMITS,
    reserve = 0,
    keepTimes = false,
    signal,
    print = () => undefined,
  }: CollectOptions = {},
): Promise<OutputLimits> {
  signal?.throwIfAborted();
  const worker = new Worker(COPY_TREE, {
    workerData: { from, to, limits, keepTimes, reserve },
    env: {},
    execArgv: [],
  });
  const { promise, resolve, reject } = Promise.withResolvers<OutputLimits>();
  worker.on('message', (message: Message) => {
    if ('line' in message) print(message.line);
    else if ('copied' in message) resolve(message.copied);
    else if ('tooMuch' in message)
      reject(errors.internal({ message: `there is too much output: ${message.tooMuch}` }));
    else reject(Object.assign(new Error(message.failed), { code: message.code }));
  });
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the copy of the output was interrupted')));
  try {
    return await orAborted(promise, signal);
  } finally {
    // The caller removes anything still being copied.
    await worker.terminate();
  }
}
