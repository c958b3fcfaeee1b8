// A deploy whose task has ended well, when its result cannot be read: an unknown outcome, never a failure.
import { isCallFailure, NoResponseError, RefusedError } from '../../client/failures.ts';
import type { UnknownEvent } from './deploy-events.ts';

/** Null if the content was deleted. A right that was lost says nothing about the deploy. */
export function unreadResult(
  error: unknown,
  { task_id, guid, first }: Pick<UnknownEvent, 'task_id' | 'guid' | 'first'>,
): UnknownEvent | null {
  if (!isCallFailure(error) || (error instanceof NoResponseError && error.kind === 'aborted')) return null;
  const { status, code } = error instanceof RefusedError ? error : { status: null, code: null };
  if (status === 404 && code === 4) return null;
  const hint = `The deploy has ended on the server. Check again with the task ID ${task_id}.`;
  const refused = status === 401;
  return { type: 'unknown', task_id, guid, first, error: error.message, refused, ended: true, hint };
}
