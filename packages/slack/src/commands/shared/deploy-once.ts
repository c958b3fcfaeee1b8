// Deploys from buttons run once, for the first who presses, with that person's rights.
import type { ContentItem } from '@pressroom/api/client';
import type { Message } from '../../blocks/blocks.ts';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Invoker } from '../../deliver/transport/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Notice } from '../../store/notices.ts';
import type { Texts } from '../../texts/en.ts';
import { deployTexts } from '../deploy/texts.ts';
import { mayChange } from './find-content.ts';
import { AlreadyStarted, MaybeStarted, startDeploy, startedBy } from './start-deploy.ts';

/** Timeout of a click in milliseconds. */
export const CLICK_TIMEOUT = 9000;
/** Milliseconds after which a click without a task counts as failed. */
const ABANDONED = 60_000;

export interface OneDeploy {
  /** Of the button, wherever and by whom it is pressed. */
  readonly key: string;
  /** Such as `the rollback to bundle 3`. */
  readonly what: string;
  /** The content item. */
  readonly guid: string;
  /** Null for the active one. */
  readonly bundle: string | null;
  /** Why the first press does nothing, with the content as it is now; null if it deploys. */
  readonly refuse?: (content: ContentItem) => string | null;
  readonly onStarted?: (task: string) => Promise<void>;
}

/** Deploys once per key: the first gets a task, others learn who was first. */
export async function deployOnce(
  services: Services,
  { invoker, texts }: { readonly invoker: Invoker; readonly texts: Texts },
  { key, what, guid, bundle, refuse, onStarted }: OneDeploy,
): Promise<Message> {
  const client = await clientOf(services, invoker);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  // Before claiming the click: whoever may not deploy does not block others.
  const content = await client.getContent({ guid }, { signal });
  const title = titleOf(content);
  if (!mayChange(content, await client.getCurrentUser({}, { signal })))
    return note(texts.failure.noPermission(inline(title)));
  const winner = await claim(services, invoker, key, content.guid);
  if (winner) {
    const task = winner.task === null ? null : inline(winner.task);
    return note(
      winner.slack_user === invoker.user
        ? deployTexts(texts).youAlready(what, task)
        : deployTexts(texts).already(inline(winner.slack_name), what, task),
    );
  }
  const refused = refuse?.(content) ?? null;
  if (refused !== null) {
    await services.store.releaseClick(key);
    return note(refused);
  }
  try {
    const { task, where } = await startDeploy(services, { client, invoker, content, bundle, signal, texts });
    await services.store.finishClick(key, task);
    await onStarted?.(task);
    return note(deployTexts(texts).startedOnce(what, inline(title), inline(task), where));
  } catch (error) {
    // The next press first checks whether it started after all.
    if (error instanceof MaybeStarted) return maybeStarted(services, what, title, texts);
    await services.store.releaseClick(key);
    if (error instanceof AlreadyStarted)
      return note(deployTexts(texts).already(inline(error.by), what, inline(error.task)));
    throw error;
  }
}

/** The earlier winner of a click, null if this one wins. A click left unfinished by a crashed bot can be won again. */
async function claim(services: Services, invoker: Invoker, key: string, content: string) {
  const { store, now } = services;
  const winner = await store.claimClick(key, invoker.user, invoker.name);
  // The clock may have been set back.
  const isNew = winner !== null && Math.abs(now() - winner.time) < ABANDONED;
  if (winner === null || winner.task !== null || isNew) return winner;
  const task = await startedBy(services, { user: winner.slack_user }, content, winner.time);
  if (task !== null) {
    await store.finishClick(key, task);
    return { ...winner, task };
  }
  await store.releaseClick(key);
  return store.claimClick(key, invoker.user, invoker.name);
}

/** @param what such as `the rollback to bundle 3` */
export function maybeStarted(
  { command }: Pick<Services, 'command'>,
  what: string,
  title: string,
  texts: Texts,
): Message {
  return note(deployTexts(texts).maybeStarted(what, inline(title), command));
}

export async function noticeOf({ store }: Services, id: string): Promise<Notice> {
  const notice = await store.notices.find(id);
  if (!notice) throw new Error(`there is no notice ${id}`);
  return notice;
}
