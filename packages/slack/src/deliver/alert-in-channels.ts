// Tells what happened to a content item, other than a deploy, in the channels that subscribed to it.
import type { Message } from '../blocks/blocks.ts';
import type { Services } from '../services.ts';
import { endSubscription, lostAccess } from './end-subscription.ts';
import { DIRECT } from './direct.ts';
import { addReleaseStep, type ReleaseStep } from './releases.ts';
import { subscribersOf } from './scopes.ts';
import type { Rendered } from './renderings.ts';
import type { Subject } from './subject.ts';
import type { Texts } from '../texts/en.ts';

export interface ChannelAlert {
  readonly subject: Subject;
  /** What the same key names is told once in each channel. */
  readonly key: string;
  /** Whether subscriptions with this word are told. */
  readonly wants: (word: string) => boolean;
  /** What is posted; a step of a release is added to the message of its bundle instead, a rendering read when it is posted. */
  readonly message: ((texts: Texts) => Message) | ReleaseStep | { readonly rendering: Rendered };
  /** GUID of an account that is told in direct messages, too, where it is linked. */
  readonly owner?: string | null;
}

/** `complete` is false when the content server did not tell of some subscribers whether they may see it. */
export async function alertInChannels(
  services: Pick<Services, 'store' | 'alerts' | 'clients' | 'slack' | 'languages' | 'log'>,
  { subject, key, wants, message, owner = null }: ChannelAlert,
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
    if (!filters.split(',').some(wants)) continue;
    if (created_time > subject.time) continue;
    if (!isSeen) {
      await endSubscription(services, subscription, lostAccess(slack_name));
      continue;
    }
    const alert = { id: `${key}:${team}:${channel}`, team, channel, reader, content: guid };
    if (typeof message === 'function') {
      await alerts.send({
        ...alert,
        message: message(await services.languages.ofChannel(team, channel, reader)),
      });
      const person = owner === null ? null : await store.slackUserOf(team, owner);
      if (person === null) continue;
      const texts = await services.languages.ofPerson(team, person);
      await alerts.send({
        id: `${key}:${team}:${DIRECT}`,
        team,
        channel: `${DIRECT}${person}`,
        reader: person,
        content: guid,
        message: message(texts),
      });
      continue;
    }
    if ('rendering' in message) {
      await alerts.send({ ...alert, message });
      continue;
    }
    const release = { team, channel, content: guid, bundle: message.bundle };
    await addReleaseStep(services, release, message);
    await alerts.send({ ...alert, message: { release } });
  }
  return { complete };
}
