// Events of deploys, drafts and renders: started, ended.
import { storedMail } from '../mailing/report-mail.ts';
import type { Executor } from '../platform/database/storage.ts';
import { findRenderingOf } from '../runtime/rendering-store.ts';
import type { TaskRow } from '../tasks/store.ts';
import { DEFAULT_KEY } from '../variants/read.ts';
import { isAdHoc } from '../variants/store.ts';
import { appendEvent } from './store.ts';

/** The rendering of an event. */
export interface SentRendering {
  /** Key of the variant; `default` for the document with the values of its source. */
  readonly variant: string;
  /** Null while it runs, and for failed or held ones. */
  readonly rendering_id: number | null;
  /** Whether a schedule started it. */
  readonly is_scheduled: boolean;
  /** Whether the report suppresses mails of scheduled renderings (rsc_email_suppress_scheduled). */
  readonly is_suppressed: boolean;
}

const ANNOUNCED = ['deploy', 'draft', 'render'] as const;

/** To be called in the transaction of the change. Other tasks have no events. */
export async function recordTaskEvent(tx: Executor, task: TaskRow): Promise<void> {
  const { finished, created_time, finished_time, content_guid } = task;
  const kind = ANNOUNCED.find((one) => one === task.kind);
  if (kind === undefined || content_guid === null) return;
  // Renderings with a visitor's own values concern nobody else.
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
    reason: task.end_reason,
    ...(kind === 'render' && { rendering: JSON.stringify(await renderingOf(tx, task, content_guid)) }),
  });
}

async function renderingOf(
  tx: Executor,
  { id, variant_key, mails, finished }: TaskRow,
  contentGuid: string,
): Promise<SentRendering> {
  const rendering = finished === 1 ? await findRenderingOf(tx, contentGuid, id) : undefined;
  const mail = storedMail(rendering?.mail ?? null);
  return {
    variant: variant_key ?? DEFAULT_KEY,
    rendering_id: rendering?.id ?? null,
    is_scheduled: mails === 1,
    is_suppressed: mails === 1 && mail?.isSuppressed === true,
  };
}
