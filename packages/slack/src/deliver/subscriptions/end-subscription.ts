// A subscription belongs to a person: it ends when they lose access to the content, or it is deleted, and the channel is
// informed.
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Services } from '../../services.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { Texts } from '../../texts/en.ts';
import { leaveReleases, type LeaveParts } from '../releases/leave-releases.ts';
import { scopeOf } from './scopes.ts';

type Parts = Pick<Services, 'languages'> & LeaveParts;

/** @param why such as `Pia can no longer see it`, in the channel's language */
export async function endSubscription(
  parts: Parts,
  subscription: Subscription,
  why: (texts: Texts) => string,
): Promise<void> {
  const { store, alerts, languages } = parts;
  const { team, channel, content, title, created_time } = subscription;
  if (!(await store.removeSubscription(team, channel, content))) return;
  const texts = await languages.ofChannel(team, channel);
  await alerts.send({
    id: `ended:${content}:${created_time}:${team}:${channel}`,
    team,
    channel,
    reader: null,
    content: null,
    message: note(texts.subscribe.ended(inline(title), why(texts))),
  });
  await leaveReleases(parts, subscription, scopeOf(subscription) === null ? content : null);
}

/** Why a subscription ended after its owner lost access. */
export function lostAccess(name: string): (texts: Texts) => string {
  return ({ subscribe }) => subscribe.lostAccess(inline(name));
}

/** The server reports that content was deleted. */
export interface DeletedEvent {
  readonly what: 'deleted';
  readonly guid: string;
  readonly who: string | null;
}

export async function endSubscriptionsTo(
  parts: Parts,
  { guid, who }: Omit<DeletedEvent, 'what'>,
): Promise<void> {
  for (const subscription of await parts.store.subscriptions({ content: guid }))
    await endSubscription(parts, subscription, ({ subscribe }) =>
      subscribe.deleted(who === null ? null : inline(who)),
    );
}
