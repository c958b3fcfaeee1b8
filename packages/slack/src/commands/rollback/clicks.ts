// The Roll Back button of a notice, and the confirmation of a rollback.
import type { ContentItem } from '@pressroom/api/client';
import type { ModalView } from '@slack/types';
import type { Message } from '../../blocks/blocks.ts';
import { titleOf } from '../../blocks/names.ts';
import { note, textModal } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Invoker } from '../../deliver/transport/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { deployTexts } from '../deploy/texts.ts';
import { CLICK_TIMEOUT, deployOnce, noticeOf } from '../shared/deploy-once.ts';
import { mayChange } from '../shared/find-content.ts';
import { liveText, rollbackMessage, rollbackModal, type RollbackQuestion } from './blocks.ts';
import { askRollback, isLive } from './question.ts';
import { rollbackTexts } from './texts.ts';

/** The confirmation modal, or why there is nothing to confirm. */
export async function rollbackQuestion(
  services: Services,
  invoker: Invoker,
  noticeId: string,
  responseUrl: string | null,
  texts: Texts,
): Promise<ModalView> {
  const question = await questionOf(services, invoker, noticeId, texts);
  if (typeof question === 'string') return textModal(texts.buttons.rollBack, question, texts);
  const { key } = question;
  const metadata = JSON.stringify({ key, channel: invoker.channel, response_url: responseUrl });
  return rollbackModal(question, metadata, texts);
}

/** As a message, if no modal can be opened. */
export async function rollbackAsMessage(
  services: Services,
  invoker: Invoker,
  noticeId: string,
  texts: Texts,
): Promise<Message> {
  const question = await questionOf(services, invoker, noticeId, texts);
  return typeof question === 'string' ? note(question) : rollbackMessage(question, texts);
}

/** The question; a sentence if there is nothing to ask. */
async function questionOf(
  services: Services,
  invoker: Invoker,
  noticeId: string,
  texts: Texts,
): Promise<RollbackQuestion | string> {
  const client = await clientOf(services, invoker);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  const notice = await noticeOf(services, noticeId);
  const content = await client.getContent({ guid: notice.content }, { signal });
  const title = titleOf(content);
  const me = await client.getCurrentUser({}, { signal });
  if (!mayChange(content, me)) return texts.failure.noPermission(inline(title));
  // Older notices may still have the button.
  if (!isLive(notice.state) && notice.state !== 'running')
    return rollbackTexts(texts).nothing(liveText(content.bundle_id, texts));
  return askRollback({ client, signal, texts }, content, noticeId);
}

/** @param key from rollbackKey() @param chosen another bundle than in the key */
export async function confirmRollback(
  services: Services,
  invoker: Invoker,
  key: string,
  texts: Texts,
  chosen: string | null = null,
): Promise<Message> {
  const [, question, guid, suggested, from = null] = key.split(':');
  const bundle = chosen ?? suggested;
  if (question === undefined || guid === undefined || bundle === undefined)
    throw new Error('the key of the rollback is invalid');
  const what = deployTexts(texts).theRollback(inline(bundle));
  // With the content: a forged key must not take the question of other content.
  const once = { key: `rollback:${question}:${guid}`, what, guid, bundle };
  return deployOnce(services, { invoker, texts }, { ...once, refuse: whyNot });

  /** Why it is not what was asked about; questions of an earlier version do not say what was live. */
  function whyNot({ bundle_id: live }: ContentItem): string | null {
    if (from === null || from === (live ?? '')) return null;
    return rollbackTexts(texts).another(liveText(live, texts));
  }
}
