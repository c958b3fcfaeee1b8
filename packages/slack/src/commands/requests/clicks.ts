// The buttons of a request: the server decides whether whoever presses may, at that moment.
import { type Client, RefusedError } from '@pressroom/api/client';
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import type { Asker } from '../../deliver/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { CLICK_TIMEOUT } from '../shared/deploy-once.ts';

/** What a button says; the contract calls a collaborator `owner`. */
type Decision = { decision: 'grant'; role?: 'viewer' | 'owner' } | { decision: 'decline' };

/** No such request is open. */
const NOT_OPEN = 18;

/**
 * Null where the message with the button shows the outcome: the event of the server brings it up to date.
 * @param value as in `access GUID 7`, `role GUID`; with ` listed` behind it from a list
 */
export function answerRequest(decided: Decision) {
  return async (
    services: Services,
    asker: Asker,
    value: string,
    { access }: Texts,
  ): Promise<Message | null> => {
    const words = value.split(' ');
    const isListed = words.at(-1) === 'listed';
    const client = await clientOf(services, asker);
    try {
      await decide(client, words, decided);
    } catch (error) {
      if (error instanceof RefusedError && error.code === NOT_OPEN) return note(access.over);
      throw error;
    }
    if (!isListed) return null;
    return note(decided.decision === 'grant' ? access.youGranted : access.youDeclined);
  };
}

async function decide(client: Client, words: readonly string[], decided: Decision): Promise<void> {
  const [kind, guid = '', id = ''] = words;
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  if (kind === 'role') return client.decideRoleRequest({ guid, decision: decided.decision }, { signal });
  if (kind !== 'access') throw new Error('no such request');
  return client.decideContentAccessRequest({ guid, id, ...decided }, { signal });
}
