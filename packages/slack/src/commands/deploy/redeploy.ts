// The Redeploy button of a notice.
import type { Message } from '../../blocks/blocks.ts';
import type { Invoker } from '../../deliver/transport/reply.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { deployOnce, noticeOf } from '../shared/deploy-once.ts';
import { deployTexts } from './texts.ts';

export async function redeploy(
  services: Services,
  invoker: Invoker,
  noticeId: string,
  texts: Texts,
): Promise<Message> {
  const { content: guid, bundle } = await noticeOf(services, noticeId);
  const what = deployTexts(texts).theRedeploy;
  return deployOnce(services, { invoker, texts }, { key: `redeploy:${noticeId}`, what, guid, bundle });
}
