// Copies what code of content left behind into a directory of the server's own: regular files only, and bounded.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errors } from '@pressroom/api/contract';

export interface OutputLimits {
  readonly files: number;
  readonly bytes: number;
}

export interface CollectOptions {
  readonly limits?: OutputLimits;
  /** Bytes of the disk that stay free; none: all of it may be used. */
  readonly reserve?: number;
  /** The copies say, in whole seconds, that they were changed when the originals were; otherwise when they were copied. */
  readonly keepTimes?: boolean;
  readonly signal?: AbortSignal;
  /** Told of what is left out: links, devices, pipes; at most a few lines. */
  readonly print?: (line: string) => void;
}

/** What the thread tells: a line to print, or how it ended. */
type Message =
  | { readonly line: string }
  | { readonly copied: OutputLimits }
  | { readonly tooMuch: string }
  | { readonly failed: string; readonly code?: string };

export const OUTPUT_LIMITS: OutputLimits = { files: 100_000, bytes: 10 * 2 ** 30 };
/** Beside this file, and beside the bundle that the build makes. */
const COPY_TREE = join(import.meta.dirname, 'copy-tree.cjs');

/**
 * Copies a tree that hostile code may have written, and may still be able to change: nothing that it links to is
 * read, and the copies are new files of the server's account, 0644 or 0755, never hard links.
 * @param to is made, and must not exist.
 * @throws ApiError 1 when there is more than the limits or the disk allow.
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
  const cancel = () => reject(signal?.reason);
  signal?.addEventListener('abort', cancel);
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Whatever it still copies: who asked for it removes it.
    await worker.terminate();
  }
}
