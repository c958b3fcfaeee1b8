// Finds out what a directory is, in a worker thread: names, patterns and text in it are untrusted, and matching some
// takes exponential time.
import { errors } from '@pressroom/api/contract';
import type { BuiltManifest, BundleFile, CollectLimits } from '@pressroom/api/publish';
import { runInThread } from '../../platform/run-in-thread.ts';

export interface Reading {
  readonly root: string;
  readonly limits?: Partial<CollectLimits>;
  /** Versions of R and Python for the manifest; null to ask this machine. */
  readonly versions: { readonly r: string | undefined; readonly python: string } | null;
  /** Lists the files only. */
  readonly isListed?: true;
  /** Before the explanation for a directory of unknown kind. */
  readonly unknown?: string;
}

export interface ReadDirectory {
  readonly files: BundleFile[];
  /** About the list. */
  readonly warnings: readonly string[];
  /** Null if only the files were listed. */
  readonly built: Pick<BuiltManifest, 'manifest' | 'source' | 'warnings'> | null;
}

export type ReadResponse =
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
  const response = await runInThread<ReadResponse>(THREAD, {
    workerData: reading,
    limitMs,
    signal,
    failure: (isLate, cause) =>
      errors.invalidManifest({
        message: isLate ? 'the files take too long to read' : 'the files cannot be read',
        cause,
      }),
  });
  if ('read' in response) return response.read;
  if (response.isOfBundle) throw errors.invalidManifest({ message: response.failed });
  throw new Error(response.failed);
}
