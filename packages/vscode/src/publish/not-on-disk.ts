// What publishing a folder that is not on disk has around the deploy: its files are read first, its records go to it.
import type { DeployEvent } from '@pressroom/api';
import type { Directories } from './directories.ts';

const ENDS: ReadonlySet<DeployEvent['type']> = new Set(['done', 'failed', 'unknown', 'cancelled']);

/**
 * Publishes the files as they are there now, and keeps them so until they are uploaded.
 * @param show told the stages before the first event
 * @param deploy makes the events; says how it ends where the signal was aborted before
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
 * Saves records as soon as they are written: while the task runs, and before its end is told.
 * @param onError told what could not be saved in the end; it stays in the copy
 */
export async function* savedRecords(
  dir: string,
  events: AsyncIterable<DeployEvent>,
  directories: Pick<Directories, 'save'>,
  onError: (error: unknown) => void,
): AsyncGenerator<DeployEvent> {
  for await (const event of events) {
    // Not waited for: a task has to be remembered at once. What fails is tried again, and told at the end.
    if (event.type === 'deploy') void directories.save(dir).catch(() => undefined);
    if (ENDS.has(event.type)) await directories.save(dir).catch(onError);
    yield event;
  }
}
