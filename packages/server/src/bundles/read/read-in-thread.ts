// Finds out what a directory is, in a worker thread: names, patterns and text in it are untrusted, and matching some
// takes exponential time.
import { Worker } from 'node:worker_threads';
import { errors } from '@pressroom/api/contract';
import type { BuiltManifest, BundleFile, CollectLimits } from '@pressroom/api/publish';

export interface Reading {
  readonly root: string;
  readonly limits?: Partial<CollectLimits>;
  /** Versions of R and Python for the manifest; null to ask this machine. */
  readonly versions: { readonly r: string | undefined; readonly python: string } | null;
  /** Lists the files only. */
  readonly isListed?: true;
  /** Replaces the explanation for a directory of unknown kind. */
  readonly whyUnknown?: string;
}

export interface ReadDirectory {
  readonly files: BundleFile[];
  /** About the list. */
  readonly warnings: readonly string[];
  /** Null if only the files were listed. */
  readonly built: Pick<BuiltManifest, 'manifest' | 'source' | 'warnings'> | null;
}

export type ReadAnswer =
  | { readonly read: ReadDirectory }
  | { readonly failed: string; readonly isOfBundle: boolean };

/** Next to this file, or next to the built one. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? 'read-thread.ts' : 'read-thread.mjs',
  import.meta.url,
);
const TIMEOUT_MS = 30_000;

/** @throws ApiError 38 if the files make no bundle, or after the limit; the signal's reason */
export async function readInThread(
  reading: Reading,
  { signal, limitMs = TIMEOUT_MS }: { signal?: AbortSignal; limitMs?: number } = {},
): Promise<ReadDirectory> {
  signal?.throwIfAborted();
  const thread = new Worker(THREAD, {
    workerData: reading,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer>();
  const fail = (message: string) => (cause?: unknown) =>
    reject(errors.invalidManifest({ message, cause: cause instanceof Error ? cause : undefined }));
  const late = setTimeout(fail('the files take too long to read'), limitMs);
  const stop = () => reject(signal?.reason);
  signal?.addEventListener('abort', stop);
  thread.once('message', resolve);
  thread.once('error', fail('the files cannot be read'));
  thread.once('exit', fail('the files cannot be read'));
  try {
    const answer = await promise;
    if ('read' in answer) return answer.read;
    if (answer.isOfBundle) throw errors.invalidManifest({ message: answer.failed });
    throw new Error(answer.failed);
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
