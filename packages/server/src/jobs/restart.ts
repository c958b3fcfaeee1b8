// The task that restarts an application, also one that another server has given to this one.
import { errors } from '@pressroom/api/contract';
import { type ContentRow, findContent } from '../content/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { TaskRow } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';

/** Ends the processes of an application on all servers and starts one here. @throws ApiError 1 if it does not start. */
export type Restart = (
  content: ContentRow,
  print: (line: string) => void,
  signal: AbortSignal,
) => Promise<void>;

export interface RestartParts {
  readonly storage: Storage;
  readonly tasks: TaskService;
  readonly contentChanged: (guid: string) => void;
  readonly restart: Restart;
  readonly secretsOf: (content: ContentRow) => Promise<string[]>;
}

/** Runs a task that stops the processes and starts one, so that it reports whether it starts. */
export function runRestart(
  { storage, tasks, contentChanged, restart, secretsOf }: RestartParts,
  id: string,
  guid: string,
): void {
  void tasks.run(id, async ({ log, hide, signal }) => {
    // A deploy may have finished since.
    const active = await findContent(storage.db, guid);
    if (!active) throw errors.notFound();
    hide(await secretsOf(active));
    await restart(active, log, signal);
    contentChanged(guid);
    return () => Promise.resolve();
  });
}

/** False if the task is no restart. */
export function resumeRestart(parts: RestartParts, { id, kind, content_guid: guid }: TaskRow): boolean {
  if (kind !== 'restart' || guid === null) return false;
  runRestart(parts, id, guid);
  return true;
}
