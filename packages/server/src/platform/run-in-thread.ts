// Runs one job in a worker thread: reading what is untrusted can take exponential time, and much memory.
import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  readonly workerData: unknown;
  /** Variables of the thread; those of the server by default. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The error for a thread that takes too long, or that ends without a response. */
  readonly failure: (isLate: boolean, cause?: unknown) => Error;
}

/** The first message of the thread, which ends then. @throws `failure`; the signal's reason */
export async function runInThread<Result>(file: URL, options: ThreadOptions): Promise<Result> {
  const { workerData, env, limitMs, signal, failure } = options;
  signal?.throwIfAborted();
  const thread = new Worker(file, {
    workerData,
    ...(env && { env }),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const late = setTimeout(() => reject(failure(true)), limitMs);
  const stop = () => reject(signal?.reason);
  signal?.addEventListener('abort', stop);
  thread.once('message', resolve);
  thread.once('error', (cause) => reject(failure(false, cause)));
  thread.once('exit', () => reject(failure(false)));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
