// Tells what happened to a content item, other than a deploy, in the channels that subscribed to it.
import type { Message } from '../blocks/blocks.ts';
import type { Services } from '../services.ts';
import { endSubscription, lostAccess } from './end-subscription.ts';
import { subscribersOf } from './scopes.ts';

export interface Subject {
  /** Of the event. */
  readonly id: string;
  readonly content: { readonly guid: string; readonly title: string; readonly url: string | null };
  /** Milliseconds. */
  readonly time: number;
}

export interface ChannelAlert {
  readonly subject: Subject;
  /** What the same key names is told once in each channel. */
  readonly key: string;
  /** Subscriptions with one of these are told. */
  readonly filters: readonly string[];
  readonly message: Message;
}

/** `complete` is false when the content server did not tell of some subscribers whether they may see it. */
export async function alertInChannels(
  services: Pick<Services, 'store' | 'alerts' | 'clients' | 'slack' | 'log'>,
  { subject, key, filters: wanted, message }: ChannelAlert,
): Promise<{ complete: boolean }> {
  const { store, alerts, clients } = services;
  const { guid } = subject.content;
  let complete = true;
  const subscribers = await subscribersOf({ store, clients }, guid, ({ channel }, error) => {
    services.log.warn({ err: error, channel }, 'whether a channel may see an event is not known');
    complete = false;
  });
  for (const { subscription, maySee: isSeen } of subscribers) {
    const { team, channel, slack_user: reader, filters, created_time, slack_name } = subscription;
    if (!filters.split(',').some((word) => wanted.includes(word))) continue;
    if (created_time > subject.time) continue;
    if (!isSeen) {
      await endSubscription(services, subscription, lostAccess(slack_name));
      continue;
    }
    await alerts.send({
      id: `${key}:${team}:${channel}`,
      team,
      channel,
      reader,
      content: guid,
      message,
    });
  }
  return { complete };
}
