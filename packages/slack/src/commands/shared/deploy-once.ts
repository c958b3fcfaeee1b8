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
import { mayChange } from './find-content.ts';
import { MaybeStarted, startDeploy, startedBy } from './start-deploy.ts';

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
  // Before the click counts: who may not deploy keeps nobody from it.
  const { content, bundle } = await plan(client, signal);
  const title = titleOf(content);
  if (!mayChange(content, await client.getCurrentUser({}, { signal })))
    return note(`You do not have permission to deploy *${inline(title)}*.`);
  const winner = await claim(services, asker, key, content.guid);
  if (winner) {
    const who = winner.slack_user === asker.user ? 'You' : inline(winner.slack_name);
    return note(
      `${who} already started ${what}${winner.task === null ? '' : ` (task ${inline(winner.task)})`}.`,
    );
  }
  try {
    const { task, where } = await startDeploy(services, { client, asker, content, bundle, signal });
    await services.store.finishClick(key, task);
    return note(`Started ${what} of *${inline(title)}* (task ${inline(task)}). ${where}`);
  } catch (error) {
    // Then the next press looks first whether it started after all.
    if (error instanceof MaybeStarted) return maybeStarted(services, what, title);
    await services.store.releaseClick(key);
    throw error;
  }
}

/** The winner of a click, null for this one. A click that a dead bot left half done can be won again. */
async function claim(services: Services, asker: Asker, key: string, content: string) {
  const { store, now } = services;
  const winner = await store.claimClick(key, asker.user, asker.name);
  if (winner === null || winner.task !== null || now() - winner.time < ABANDONED) return winner;
  const task = await startedBy(services, { user: winner.slack_user }, content, winner.time);
  if (task !== null) {
    await store.finishClick(key, task);
    return { ...winner, task };
  }
  await store.releaseClick(key);
  return store.claimClick(key, asker.user, asker.name);
}

/** @param what as in `the rollback to bundle 3` */
export function maybeStarted({ command }: Pick<Services, 'command'>, what: string, title: string): Message {
  return note(
    `:warning: The content server did not answer, so it is not known whether ${what} of *${inline(title)}* started. Check \`${command} status\` in a minute, before you try again.`,
  );
}

export async function noticeOf({ store }: Services, id: string): Promise<Notice> {
  const notice = await store.notices.find(id);
  if (!notice) throw new Error(`there is no notice ${id}`);
  return notice;
}
