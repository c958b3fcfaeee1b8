// Deploys from buttons: once, whoever presses first, with the rights of whoever presses.
import type { Client, ContentItem } from '@pressroom/api/client';
import type { Message } from '../../blocks/blocks.ts';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Asker } from '../../deliver/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Notice } from '../../store/notices.ts';
import { startDeploy } from './start-deploy.ts';

/** Milliseconds until a click is given up. */
export const CLICK_TIMEOUT = 9000;
/** Milliseconds after which a click that started nothing never will. */
const ABANDONED = 60_000;

/**
 * Deploys once for a key: the first gets a task, everybody else learns who was first.
 * @param what as in `the rollback to bundle 3`
 */
export async function deployOnce(
  services: Services,
  asker: Asker,
  key: string,
  what: string,
  plan: (client: Client, signal: AbortSignal) => Promise<{ content: ContentItem; bundle: string | null }>,
): Promise<Message> {
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  const winner = await claim(services, asker, key);
  if (winner) {
    const who = winner.slack_user === asker.user ? 'You' : inline(winner.slack_name);
    return note(
      `${who} already started ${what}${winner.task === null ? '' : ` (task ${inline(winner.task)})`}.`,
    );
  }
  try {
    const { content, bundle } = await plan(client, signal);
    const { task } = await startDeploy(services, { client, asker, content, bundle, signal });
    await services.store.finishClick(key, task);
    return note(`Started ${what} of *${inline(titleOf(content))}* (task ${inline(task)}).`);
  } catch (error) {
    await services.store.releaseClick(key);
    throw error;
  }
}

/** The winner of a click, null for this one. A click that a dead bot left half done can be won again. */
async function claim({ store, now }: Services, asker: Asker, key: string) {
  const winner = await store.claimClick(key, asker.user, asker.name);
  if (winner === null || winner.task !== null || now() - winner.time < ABANDONED) return winner;
  await store.releaseClick(key);
  return store.claimClick(key, asker.user, asker.name);
}

export async function noticeOf({ store }: Services, id: string): Promise<Notice> {
  const notice = await store.notices.find(id);
  if (!notice) throw new Error(`there is no notice ${id}`);
  return notice;
}
