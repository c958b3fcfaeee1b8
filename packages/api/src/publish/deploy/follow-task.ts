// Follows the task of a deploy as events: output, and its failure if any.
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import { createCauseFinder } from './cause.ts';
import type { FailedEvent, LogEvent, StageEvent, UnknownEvent } from './deploy-events.ts';
import { standingOf } from './unread.ts';
import { watchTask } from './watch-task.ts';

const CORRECT = 'Check the output above, correct the content and publish again.';
/** The server lacks what the content runs on. */
const NOT_SUPPORTED = 39;

export interface Following {
  client: Client;
  task_id: string;
  guid: string;
  /** Lines already seen. */
  first?: number | undefined;
  /** Paths of the bundle, if known. */
  files?: readonly string[];
  signal: AbortSignal | undefined;
  clock: ClientClock;
}

/** `ended` or one of the others comes last. Throws only the signal's reason. */
export async function* followTask({
  client,
  task_id,
  guid,
  first,
  files,
  signal,
  clock,
}: Following): AsyncGenerator<
  LogEvent | StageEvent | UnknownEvent | FailedEvent | { type: 'ended' },
  void,
  undefined
> {
  const causes = createCauseFinder(files);
  for await (const event of watchTask(client, task_id, { first: first ?? 0, signal, clock })) {
    if (event.type === 'log') {
      causes.look(event);
      yield event;
    } else if (event.type === 'stage') {
      yield event;
    } else if (event.type === 'unknown') {
      const hint = `The deploy may still be running. Check again with the task ID ${task_id}.`;
      const standing = standingOf(event.failure);
      yield { type: 'unknown', task_id, guid, first: event.first, error: event.reason, ...standing, hint };
    } else if (event.code === 0) {
      yield { type: 'ended' };
    } else {
      // The output of work that was stopped does not explain why.
      const cause = event.end_reason === null ? causes.found : null;
      const todo = event.end_reason === null ? (cause?.hint ?? usualHint(event.code)) : 'Publish again.';
      const stays = (await isLive(client, guid, signal)) ? ' The previous version stays live.' : '';
      yield {
        type: 'failed',
        phase: 'watch',
        code: event.code,
        error: event.error || `The deploy ended with code ${event.code}.`,
        hint: `${todo}${stays}`,
        cause: cause?.event ?? null,
        guid,
        task_id,
        gone: false,
        left: [],
        failure: undefined,
      };
    }
  }
}

function usualHint(code: number): string {
  return code === NOT_SUPPORTED
    ? 'The content need not change: publish again when the server has it.'
    : CORRECT;
}

/** Whether anything is live; false if the server does not say. */
async function isLive(client: Client, guid: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return (await client.getContent({ guid }, { retries: 0, signal })).bundle_id !== null;
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}
