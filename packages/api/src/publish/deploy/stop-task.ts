// Stops a task on the server and reports its actual outcome.
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import { isMissingEndpoint } from '../../client/dialects.ts';
import type { Task } from '../../contract/index.ts';
import { messageOf } from './describe-failure.ts';

/**
 * `stopped`: it ended without effect. `ended`: it finished before it could be stopped. `unsupported`: the server has no
 * such operation, so the task continues. `unknown`: the outcome could not be determined.
 */
export interface StopResult {
  outcome: 'stopped' | 'ended' | 'unsupported' | 'unknown';
  /** A sentence for people; null if there is nothing to add. */
  message: string | null;
}

/** Checks of a cancelled task, and the seconds each of them waits. */
const LOOKS = 12;
const WAIT = 5;

/** Never throws. */
export async function stopTask(client: Client, id: string, clock: ClientClock): Promise<StopResult> {
  let task: Task;
  try {
    task = await client.cancelTask({ id });
  } catch (error) {
    if (isMissingEndpoint(error)) {
      const message = `This server cannot cancel a task: the deploy ${id} continues there until it ends.`;
      return { outcome: 'unsupported', message };
    }
    return { outcome: 'unknown', message: `The deploy ${id} may still be running: ${messageOf(error)}` };
  }
  try {
    for (let looks = 0; !task.finished && looks < LOOKS; looks += 1) {
      const requested = clock.now();
      task = await client.getTask({ id, first: task.last, wait: WAIT });
      // Avoids a tight loop with a server that does not wait.
      if (!task.finished && clock.now() - requested < 500) await clock.sleep(500);
    }
  } catch (error) {
    return { outcome: 'unknown', message: `The deploy ${id} was asked to stop, but ${messageOf(error)}` };
  }
  if (!task.finished)
    return { outcome: 'unknown', message: `The deploy ${id} was asked to stop, but is still running.` };
  if (task.code !== 0) return { outcome: 'stopped', message: null };
  return {
    outcome: 'ended',
    message: 'The deploy finished before it could be cancelled: its result is live.',
  };
}
