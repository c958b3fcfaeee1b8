// Publishes a folder that is not on disk: reads its files before the deploy, writes its records after it.
import type { DeployEvent } from '@pressroom/api/publish';
import type { JobEvent } from '../run/drive.ts';
import type { Directories } from './directories.ts';

const ENDS: ReadonlySet<JobEvent['type']> = new Set(['done', 'broken', 'failed', 'unknown', 'cancelled']);

/**
 * Publishes the current files, and keeps the copy unchanged until they are uploaded.
 * @param show called with stages before the first event
 * @param deploy creates the events, even if the signal was aborted before
 */
export async function* freshFiles(
  dir: string,
  directories: Pick<Directories, 'take'>,
  { signal, show }: { signal: AbortSignal; show: (stage: string) => void },
  deploy: () => AsyncIterable<DeployEvent>,
): AsyncGenerator<DeployEvent> {
  const taken = await directories.take(dir, { signal, show }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  try {
    for (const message of taken?.lacks ?? []) yield { type: 'warning', message };
    for await (const event of deploy()) {
      if (event.type === 'deploy' || ENDS.has(event.type)) taken?.release();
      yield event;
    }
  } finally {
    taken?.release();
  }
}

/**
 * Saves records once they are written: while the task runs, and before its outcome is shown.
 * @param onError called with failures at the end; the records stay in the copy
 */
export async function* savedRecords(
  dir: string,
  events: AsyncIterable<JobEvent>,
  directories: Pick<Directories, 'save'>,
  onError: (error: unknown) => void,
): AsyncGenerator<JobEvent> {
  for await (const event of events) {
    // Not awaited: the task must be stored at once. Failures are retried, and reported at the end.
    if (event.type === 'deploy') void directories.save(dir).catch(() => undefined);
    if (ENDS.has(event.type)) await directories.save(dir).catch(onError);
    yield event;
  }
}
