// Links a Slack user to an account: checks the key, stores it encrypted, and continues with the line that waited.
import { type Client, isCallFailure, RefusedError } from '@pressroom/api/client';
import type { User } from '@pressroom/api/contract';
import { fullName } from '../blocks/names.ts';
import { inline } from '../blocks/text.ts';
import { execute } from '../commands/execute.ts';
import type { Asker } from '../deliver/reply.ts';
import { endSubscription } from '../deliver/end-subscription.ts';
import type { Services } from '../services.ts';
import type { Link } from '../store/store.ts';

/** The account, or the problem as a sentence for the modal. */
export async function tryLink(
  services: Services,
  asker: Asker,
  apiKey: string,
  keyId: string | null = null,
): Promise<{ problem: string } | { user: User }> {
  const key = apiKey.trim();
  if (!/^[\x21-\x7E]{8,512}$/.test(key)) return { problem: 'This is not a valid API key.' };
  const client = services.clients.trial(key);
  try {
    const user = await client.getCurrentUser();
    const before = await services.clients.ofLink(asker.team, asker.user);
    await services.store.saveLink({
      team: asker.team,
      slack_user: asker.user,
      slack_name: asker.name,
      server_user: user.guid,
      username: user.username,
      key,
      key_id: keyId,
    });
    if (before && before.link.key !== key) await revokeKey(services, before);
    services.clients.forget(asker.team, asker.user);
    return { user };
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    const refused = error instanceof RefusedError && error.status === 401;
    return { problem: refused ? 'The server rejected this API key.' : error.message.slice(0, 150) };
  } finally {
    await client.close();
  }
}

/**
 * Deletes the link of a person, revokes the key that linking made, and ends the person's subscriptions. Answers what
 * became of the key; null where there was no link.
 */
export async function unlinkPerson(
  services: Services,
  team: string,
  user: string,
): Promise<'revoked' | 'left' | null> {
  const { store, clients } = services;
  const linked = await clients.ofLink(team, user);
  if (linked === null) return null;
  const isRevoked = await revokeKey(services, linked);
  await store.removeLink(team, user);
  clients.forget(team, user);
  for (const subscription of await store.subscriptions({ team, slack_user: user }))
    await endSubscription(services, subscription, `${inline(subscription.slack_name)} unlinked the account`);
  return isRevoked ? 'revoked' : 'left';
}

/** Keys that people pasted may be in use elsewhere: only one that linking made is revoked. */
async function revokeKey(
  { log }: Pick<Services, 'log'>,
  { client, link }: { client: Client; link: Link },
): Promise<boolean> {
  if (link.key_id === null) return false;
  try {
    await client.deleteApiKey({ guid: link.server_user, id: link.key_id });
    return true;
  } catch (error) {
    log.warn({ err: error, user: link.slack_user }, 'the API key of a link could not be revoked');
    // A key that the server does not take any more is revoked, too.
    return error instanceof RefusedError && (error.status === 401 || error.status === 404);
  }
}

/** Runs the line that waited for the link. */
export async function resumePending(
  services: Services,
  asker: Asker,
  pendingId: string,
  user: User,
): Promise<void> {
  const pending = await services.store.takePending(pendingId, asker.team, asker.user);
  if (!pending) return;
  const responseUrl = pending.response_url === '' ? null : pending.response_url;
  const there = { ...asker, channel: pending.channel };
  if (pending.line !== '') return execute(services, { line: pending.line, asker: there, responseUrl });
  services.log.info({ user: asker.user, account: user.guid }, 'linked %s', fullName(user));
  return execute(services, { line: 'status', asker: there, responseUrl });
}
