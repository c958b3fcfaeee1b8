// Tasks that a stop of the only server interrupted, and that are started again after it.
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { TaskRow } from './store.ts';

/** What a retry needs. Only for a single server: several take over the tasks of each other. */
export interface RetryParts {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Interruptions in a row after which a task is not started again: it may be the cause. */
export const MAX_INTERRUPTIONS = 3;

/** @param tasks of the same work, the last `MAX_INTERRUPTIONS`, newest first */
export function mayRetry(tasks: readonly Pick<TaskRow, 'end_reason'>[]): boolean {
  const ended = tasks.findIndex(({ end_reason }) => end_reason !== 'interrupted');
  const interruptions = ended === -1 ? tasks.length : ended;
  return interruptions > 0 && interruptions < MAX_INTERRUPTIONS;
}
