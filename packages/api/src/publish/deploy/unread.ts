// A deploy whose task has ended well, when its result cannot be read: an unknown outcome, never a failure.
import { isCallFailure, NoResponseError, RefusedError } from '../../client/failures.ts';
import type { UnknownEvent } from './deploy-events.ts';

/** Null for a certain response, such as that the content was deleted. */
export function unreadResult(
  error: unknown,
  { task_id, guid, first }: Pick<UnknownEvent, 'task_id' | 'guid' | 'first'>,
): UnknownEvent | null {
  if (!isCallFailure(error) || (error instanceof NoResponseError && error.kind === 'aborted')) return null;
  const status = error instanceof RefusedError ? error.status : null;
  if (status !== null && status < 500 && status !== 401 && status !== 429) return null;
  const hint = `The deploy has ended on the server. Check again with the task ID ${task_id}.`;
  return { type: 'unknown', task_id, guid, first, error: error.message, refused: status === 401, hint };
}
