// The Roll Back button of a notice, and the confirmation of a rollback.
import type { ModalView } from '@slack/types';
import type { Message } from '../../blocks/blocks.ts';
import { titleOf } from '../../blocks/names.ts';
import { note, textModal } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Asker } from '../../deliver/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import { CLICK_TIMEOUT, deployOnce, noticeOf } from '../shared/deploy-once.ts';
import { mayChange } from '../shared/find-content.ts';
import { liveText, rollbackMessage, rollbackModal, type RollbackQuestion } from './blocks.ts';
import { askRollback, isLive } from './question.ts';

/** The modal that asks for confirmation, or says why there is nothing to confirm. */
export async function rollbackQuestion(
  services: Services,
  asker: Asker,
  noticeId: string,
  responseUrl: string | null,
): Promise<ModalView> {
  const question = await questionOf(services, asker, noticeId);
  if (typeof question === 'string') return textModal('Roll back', question);
  const { key } = question;
  return rollbackModal(question, JSON.stringify({ key, channel: asker.channel, response_url: responseUrl }));
}

/** The same as a message, where no modal can be opened. */
export async function rollbackAsMessage(
  services: Services,
  asker: Asker,
  noticeId: string,
): Promise<Message> {
  const question = await questionOf(services, asker, noticeId);
  return typeof question === 'string' ? note(question) : rollbackMessage(question);
}

/** What is asked; a sentence where there is nothing to ask. */
async function questionOf(
  services: Services,
  asker: Asker,
  noticeId: string,
): Promise<RollbackQuestion | string> {
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  const notice = await noticeOf(services, noticeId);
  const content = await client.getContent({ guid: notice.content }, { signal });
  const title = titleOf(content);
  const me = await client.getCurrentUser({}, { signal });
  if (!mayChange(content, me)) return `You do not have permission to deploy *${inline(title)}*.`;
  // An older notice may still have the button.
  if (!isLive(notice.state) && notice.state !== 'running')
    return `This deploy failed, so there is nothing to roll back. ${liveText(content.bundle_id)}`;
  return askRollback({ client, signal }, content, noticeId);
}

/** @param key from rollbackKey() @param chosen another bundle than the one in the key */
export async function confirmRollback(
  services: Services,
  asker: Asker,
  key: string,
  chosen: string | null = null,
): Promise<Message> {
  const [, question, guid, suggested] = key.split(':');
  const bundle = chosen ?? suggested;
  if (question === undefined || guid === undefined || bundle === undefined)
    throw new Error('the key of the rollback is invalid');
  const what = `the rollback to bundle ${bundle}`;
  return deployOnce(services, asker, `rollback:${question}`, what, async (client, signal) => ({
    content: await client.getContent({ guid }, { signal }),
    bundle,
  }));
}
