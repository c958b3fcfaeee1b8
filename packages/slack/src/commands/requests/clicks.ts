// Buttons of a request: the server decides at that moment whether the presser may.
import { type Client, RefusedError } from '@pressroom/api/client';
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import type { Invoker } from '../../deliver/transport/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { CLICK_TIMEOUT } from '../shared/deploy-once.ts';

/** The decision of a button; the contract calls a collaborator `owner`. */
type Decision = { decision: 'grant'; role?: 'viewer' | 'owner' } | { decision: 'decline' };

/** Error code: the request is not open. */
const NOT_OPEN = 18;

/**
 * Null if the message with the button shows the outcome, which the server's event updates.
 * @param value such as `access GUID 7`, `role GUID`; followed by ` listed` in a list
 */
export function answerRequest(decided: Decision) {
  return async (
    services: Services,
    invoker: Invoker,
    value: string,
    { access }: Texts,
  ): Promise<Message | null> => {
    const words = value.split(' ');
    const isListed = words.at(-1) === 'listed';
    const client = await clientOf(services, invoker);
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
