// Tasks that a stop of the only server interrupted, and that nobody starts again who knows of them.
import { INTERRUPTION } from './take-over.ts';
import type { TaskRow } from './store.ts';

/** Interruptions in a row after which a task is not started again: it may be the cause. */
export const MAX_INTERRUPTIONS = 3;

/** @param tasks of the same work, the last `MAX_INTERRUPTIONS`, newest first */
export function mayRetry(tasks: readonly Pick<TaskRow, 'error'>[]): boolean {
  const ended = tasks.findIndex(({ error }) => !error.includes(INTERRUPTION));
  const interruptions = ended === -1 ? tasks.length : ended;
  return interruptions > 0 && interruptions < MAX_INTERRUPTIONS;
}
