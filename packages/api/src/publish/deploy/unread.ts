// A deploy whose task has ended well, when its result cannot be read: an unknown outcome, never a failure.
import { type CallFailure, isCallFailure, NoResponseError, RefusedError } from '../../client/failures.ts';
import type { UnknownEvent } from './deploy-events.ts';

/** Null if the content was deleted. A right that was lost says nothing about the deploy. */
export function unreadResult(
  error: unknown,
  { task_id, guid, first }: Pick<UnknownEvent, 'task_id' | 'guid' | 'first'>,
): UnknownEvent | null {
  if (!isCallFailure(error) || (error instanceof NoResponseError && error.kind === 'aborted')) return null;
  if (error instanceof RefusedError && error.status === 404 && error.code === 4) return null;
  const hint = `The deploy has ended on the server. Check again with the task ID ${task_id}.`;
  return {
    type: 'unknown',
    task_id,
    guid,
    first,
    error: error.message,
    ...standingOf(error),
    ended: true,
    hint,
  };
}

/** What a failed request says about the caller's rights. */
export function standingOf(failure: CallFailure): Pick<UnknownEvent, 'refused' | 'forbidden'> {
  const { status, code } = failure instanceof RefusedError ? failure : { status: null, code: null };
  // Without a code it is a gateway that refuses, for now.
  return { refused: status === 401, ...(status === 403 && code !== null && { forbidden: true }) };
}
