// The Roll Back button of a notice, and the confirmation of a rollback.
import type { ModalView } from '@slack/types';
import type { Message } from '../../blocks/blocks.ts';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Asker } from '../../deliver/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import { deployOnce, noticeOf } from '../shared/deploy-once.ts';
import { bundlesOf, mayChange } from '../shared/find-content.ts';
import { previousBundle } from '../shared/start-deploy.ts';
import { rollbackModal } from './blocks.ts';

/** Milliseconds: the trigger that opens a modal holds for three seconds. */
const QUESTION_TIMEOUT = 2500;

/** Names one question, so that it is confirmed once. */
export function rollbackKey(question: string, content: string, bundle: string): string {
  return ['rollback', question, content, bundle].join(':');
}

/** The modal that asks for confirmation; a message where there is nothing to confirm. */
export async function rollbackQuestion(
  services: Services,
  asker: Asker,
  noticeId: string,
  responseUrl: string | null,
): Promise<{ modal: ModalView } | { message: Message }> {
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(QUESTION_TIMEOUT);
  const notice = await noticeOf(services, noticeId);
  const content = await client.getContent({ guid: notice.content }, { signal });
  const title = titleOf(content);
  const me = await client.getCurrentUser({}, { signal });
  if (!mayChange(content, me))
    return { message: note(`You do not have permission to deploy *${inline(title)}*.`) };
  const to = previousBundle(await bundlesOf({ client, signal }, content.guid), content.bundle_id);
  if (to === null) return { message: note(`*${inline(title)}* has no previous bundle.`) };
  const key = rollbackKey(noticeId, content.guid, to.id);
  const metadata = JSON.stringify({ key, channel: asker.channel, response_url: responseUrl });
  return { modal: rollbackModal({ key, title, from: content.bundle_id, to }, metadata) };
}

/** @param key from rollbackKey() */
export async function confirmRollback(services: Services, asker: Asker, key: string): Promise<Message> {
  const [, question, guid, bundle] = key.split(':');
  if (question === undefined || guid === undefined || bundle === undefined)
    throw new Error('the key of the rollback is invalid');
  const what = `the rollback to bundle ${bundle}`;
  return deployOnce(services, asker, `rollback:${question}`, what, async (client, signal) => ({
    content: await client.getContent({ guid }, { signal }),
    bundle,
  }));
}
