// Runs one job in a worker thread: reading what is untrusted can take exponential time, and much memory.
import { Worker } from 'node:worker_threads';
import { orAborted } from './or-aborted.ts';

export interface ThreadOptions {
  readonly workerData: unknown;
  /** Variables of the thread; those of the server by default. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The error for a thread that takes too long, or that ends without a response. */
  readonly failure: (isLate: boolean, cause?: unknown) => Error;
}

/**
 * The first message of the thread, which ends then.
 * @param program a file, or JavaScript without our modules
 * @throws `failure`; the signal's reason
 */
export async function runInThread<Result>(program: URL | string, options: ThreadOptions): Promise<Result> {
  const { workerData, env, limitMs, signal, failure } = options;
  signal?.throwIfAborted();
  const thread = new Worker(program, {
    eval: typeof program === 'string',
    workerData,
    ...(env && { env }),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const late = setTimeout(() => reject(failure(true)), limitMs);
  thread.once('message', resolve);
  thread.once('error', (cause) => reject(failure(false, cause)));
  thread.once('exit', () => reject(failure(false)));
  try {
    return await orAborted(promise, signal);
  } finally {
    clearTimeout(late);
    await thread.terminate();
  }
}
