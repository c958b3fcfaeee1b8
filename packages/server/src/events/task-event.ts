// The event that a deploy, a draft or a render began or ended.
import type { Executor } from '../platform/database/storage.ts';
import type { TaskRow } from '../tasks/store.ts';
import { isAdHoc } from '../variants/store.ts';
import { appendEvent } from './store.ts';

const TOLD = ['deploy', 'draft', 'render'] as const;

/** In the transaction of what it tells. Other tasks are no events. */
export async function recordTaskEvent(tx: Executor, task: TaskRow): Promise<void> {
  const { finished, created_time, finished_time, content_guid } = task;
  const kind = TOLD.find((told) => told === task.kind);
  if (kind === undefined || content_guid === null) return;
  // What a visitor renders with own values concerns nobody else.
  if (task.variant_key !== null && (await isAdHoc(tx, task.variant_key))) return;
  await appendEvent(tx, {
    time: finished_time ?? created_time,
    type: `${kind}.${finished ? 'finished' : 'started'}`,
    task_id: task.id,
    content_guid,
    bundle_id: task.bundle_id,
    user_guid: task.user_guid,
    code: finished ? task.code : null,
    stages: task.stages,
    started_time: created_time,
    job_key: null,
    reason: null,
  });
}
