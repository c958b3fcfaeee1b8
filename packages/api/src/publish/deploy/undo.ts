// Undoes what an unfinished deploy created on the server and in the directory.
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import { RefusedError } from '../../client/failures.ts';
import { removeNewRecord } from '../records/record.ts';
import { messageOf } from './describe-failure.ts';
import { mayGoOn } from './start-task.ts';
import { stopTask } from './stop-task.ts';

/** What a deploy has created so far. */
export interface Traces {
  guid: string | null;
  /** Whether this deploy created the item. */
  created: boolean;
  /** The uploaded bundle. */
  bundle_id: string | null;
  /** The started task, or true if one may have been started without a response. */
  task: string | true | null;
  /** A record file that this deploy created. */
  newRecord: string | null;
}

const ATTEMPTS = 6;
const DELAY = 1_000;
/** Codes of an item whose task is still running: it can be removed a moment later. */
const BUSY = new Set([35, 100]);

/**
 * Stops the task if the server can, and removes a new item, or a bundle that no task uses; returns in sentences what
 * could not be stopped or removed.
 */
export async function undo(client: Client, traces: Traces, clock: ClientClock): Promise<string[]> {
  const { guid, bundle_id: id } = traces;
  if (guid === null) return [];
  const stopped: string[] = [];
  if (typeof traces.task === 'string') {
    const { outcome, message } = await stopTask(client, traces.task, clock);
    if (outcome === 'stopped') traces.task = null;
    if (outcome === 'ended' && !traces.created) return [message ?? ''];
    if (message !== null && !traces.created) stopped.push(message);
  }
  if (traces.created) {
    const left = await attempt(`the content ${guid}`, clock, () => client.deleteContent({ guid }));
    // Without the content the record would be useless; with it, it is the only reference.
    if (left.length === 0 && traces.newRecord !== null) await removeNewRecord(traces.newRecord);
    return left;
  }
  // A bundle that a task uses, or may use, stays on the server.
  if (traces.task === true && id !== null) return [mayGoOn(id)];
  if (id === null || traces.task !== null) return stopped;
  return removeBundle(client, guid, id, clock);
}

/** Returns in a sentence why the bundle could not be removed. */
export function removeBundle(
  client: Client,
  guid: string,
  id: string,
  clock: ClientClock,
): Promise<string[]> {
  return attempt(`the bundle ${id}`, clock, () => client.deleteBundle({ id, guid }));
}

async function attempt(what: string, clock: ClientClock, remove: () => Promise<void>): Promise<string[]> {
  for (let failures = 1; ; failures += 1) {
    try {
      await remove();
      return [];
    } catch (error) {
      if (error instanceof RefusedError && error.status === 404) return [];
      const busy = error instanceof RefusedError && BUSY.has(error.code ?? 0);
      if (!busy || failures >= ATTEMPTS) {
        return [`${what} is still on the server: ${messageOf(error)}`];
      }
      await clock.sleep(DELAY);
    }
  }
}
