// Where the folder is not on disk, what publishing wrote beside its files goes to it.
import type { DeployEvent } from '@pressroom/api';
import type { Directories } from './directories.ts';

const ENDS: ReadonlySet<DeployEvent['type']> = new Set(['done', 'failed', 'unknown', 'cancelled']);

/**
 * Saves records as soon as they are written: when the task runs, and before its end is told.
 * @param onError told what cannot be saved; the deploy goes on
 */
export async function* savedRecords(
  dir: string,
  events: AsyncIterable<DeployEvent>,
  directories: Pick<Directories, 'hold' | 'save'>,
  onError: (error: unknown) => void,
): AsyncGenerator<DeployEvent> {
  const release = await directories.hold(dir);
  try {
    for await (const event of events) {
      const ends = ENDS.has(event.type);
      if (ends || event.type === 'deploy') await directories.save(dir).catch(onError);
      if (ends) release();
      yield event;
    }
  } finally {
    release();
  }
}
