// Asks owners of unused content, and applies their answer.
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { DIRECT } from '../transport/direct.ts';
import type { Invoker } from '../transport/reply.ts';
import type { UnusedEvent } from './unused.ts';

/** Once per event and person. */
export async function announceUnused(
  { store, alerts }: Pick<Services, 'store' | 'alerts'>,
  { id, content, owner }: UnusedEvent,
): Promise<void> {
  for (const { team, slack_user: reader } of await store.slackUsersOf(owner))
    await alerts.send({
      id: `unused:${id}:${team}:${reader}`,
      team,
      channel: `${DIRECT}${reader}`,
      reader,
      content: content.guid,
      message: { unused: content },
    });
}

/** The server decides at that moment whether the presser may keep it. */
export async function keepUnused(
  services: Services,
  invoker: Invoker,
  guid: string,
  { unused }: Texts,
): Promise<Message> {
  await (await clientOf(services, invoker)).keepContent({ guid });
  return note(unused.kept);
}
