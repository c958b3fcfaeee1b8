// Ends the link of a Slack user: revokes its key, ends its subscriptions.
import { type Client, RefusedError } from '@pressroom/api/client';
import { inline } from '../blocks/text.ts';
import { endSubscription } from '../deliver/subscriptions/end-subscription.ts';
import type { Services } from '../services.ts';
import type { Link } from '../store/links.ts';

/**
 * Deletes the link of a person, revokes the key created by linking, and ends the person's subscriptions. Returns what
 * happened to the key; null if there was no link.
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
    await endSubscription(services, subscription, ({ subscribe }) =>
      subscribe.unlinked(inline(subscription.slack_name)),
    );
  return isRevoked ? 'revoked' : 'left';
}

/** Pasted keys may be used elsewhere: only keys created by linking are revoked. */
export async function revokeKey(
  { log }: Pick<Services, 'log'>,
  { client, link }: { client: Client; link: Link },
): Promise<boolean> {
  if (link.key_id === null) return false;
  try {
    await client.deleteApiKey({ guid: link.server_user, id: link.key_id });
    return true;
  } catch (error) {
    log.warn({ err: error, user: link.slack_user }, 'the API key of a link could not be revoked');
    // A key that the server no longer accepts counts as revoked.
    return error instanceof RefusedError && (error.status === 401 || error.status === 404);
  }
}
