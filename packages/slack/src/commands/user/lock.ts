// The Lock and Unlock buttons of an account.
import type { Message } from '../../blocks/blocks.ts';
import { fullName } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Invoker } from '../../deliver/transport/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { CLICK_TIMEOUT } from '../shared/deploy-once.ts';
import { userTexts } from './texts.ts';

/** @param value such as `lock GUID`. */
export async function lockOrUnlock(
  services: Services,
  invoker: Invoker,
  value: string,
  texts: Texts,
): Promise<Message> {
  const words = userTexts(texts);
  const [verb, guid] = value.split(' ');
  if (guid === undefined || (verb !== 'lock' && verb !== 'unlock')) throw new Error('no such account');
  const client = await clientOf(services, invoker);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  await client.lockUser({ guid, locked: verb === 'lock' }, { signal });
  const user = await client.getUser({ guid }, { signal });
  const who = inline(fullName(user));
  return note(user.locked ? words.locked(who) : words.unlocked(who));
}
