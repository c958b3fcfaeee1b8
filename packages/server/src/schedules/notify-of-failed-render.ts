// Mails the owner when a scheduled rendering fails: nobody waits for it, and what was rendered before stays.
import type { Logger } from 'pino';
import { oneLineName } from '../content/present.ts';
import { findContent } from '../content/store.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import { mailEach } from '../people/notify-people.ts';
import { findUser } from '../people/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import { findTask, recentScheduledRenders, type TaskRow } from '../tasks/store.ts';
import { findVariant } from '../variants/store.ts';

const RECENT = 5;

interface Parts {
  readonly storage: Pick<Storage, 'db'>;
  readonly mailer: Mailer | null;
  readonly log: Logger;
  /** Address of the server, without a trailing slash. */
  readonly address: () => string;
}

/** Once for failures in a row. Does nothing for other tasks, and for those that somebody cancelled. */
export async function notifyOfFailedRender(parts: Parts, taskId: string): Promise<void> {
  const { db } = parts.storage;
  if (!parts.mailer) return;
  const task = await findTask(db, taskId);
  if (task?.mails !== 1 || !hasFailed(task) || task.content_guid === null) return;
  // The next one may have started meanwhile.
  const recent = await recentScheduledRenders(db, task.content_guid, task.variant_key, RECENT);
  const before = recent.find(({ created_time }) => created_time < task.created_time);
  if (before && hasFailed(before)) return;
  const content = await findContent(db, task.content_guid);
  const owner = content && (await findUser(db, content.owner_guid));
  if (!owner) return;
  const variant = task.variant_key === null ? undefined : await findVariant(db, task.variant_key);
  const name = oneLineName(content) + (variant?.name ? `: ${variant.name}` : '');
  const output = `${parts.address()}${DASHBOARD_PREFIX}/tasks/${task.id}`;
  const text = `The scheduled rendering of ${name} is not shown: ${task.error}\n\nWhat was rendered before stays, and nothing was mailed to its recipients.\n\nIts output: ${output}\n\nYou are not told again until one has succeeded.`;
  await mailEach(parts, [owner], `${name} was not rendered`, text);
}

function hasFailed({ finished, code, end_reason }: TaskRow): boolean {
  return finished === 1 && code !== 0 && end_reason === null;
}
