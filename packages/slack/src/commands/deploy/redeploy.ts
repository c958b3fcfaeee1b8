// The Redeploy button of a notice.
import type { Message } from '../../blocks/blocks.ts';
import type { Asker } from '../../deliver/reply.ts';
import type { Services } from '../../services.ts';
import { deployOnce, noticeOf } from '../shared/deploy-once.ts';

export async function redeploy(services: Services, asker: Asker, noticeId: string): Promise<Message> {
  const { content: guid, bundle } = await noticeOf(services, noticeId);
  return deployOnce(services, asker, `redeploy:${noticeId}`, 'the redeploy', async (client, signal) => ({
    content: await client.getContent({ guid }, { signal }),
    bundle,
  }));
}
