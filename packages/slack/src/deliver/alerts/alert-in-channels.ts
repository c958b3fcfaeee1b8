// Posts events about a content item, other than deploys, in subscribed channels.
import type { Message } from '../../blocks/blocks.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { addReleaseStep, type ReleaseStep } from '../releases/releases.ts';
import type { Rendered } from '../renderings/renderings.ts';
import type { Subject } from '../subject.ts';
import { endSubscription, lostAccess } from '../subscriptions/end-subscription.ts';
import { subscribersOf } from '../subscriptions/scopes.ts';
import { DIRECT } from '../transport/direct.ts';

export interface ChannelAlert {
  readonly subject: Subject;
  /** Posted once per key and channel. */
  readonly key: string;
  /** Milliseconds after which the same key is posted again; never by default. */
  readonly repeatAfter?: number;
  /** Whether subscriptions with this filter get it. */
  readonly wants: (word: string) => boolean;
  /** The message; a release step is added to its bundle's message, a rendering is read when posted. */
  readonly message: ((texts: Texts) => Message) | ReleaseStep | { readonly rendering: Rendered };
  /** GUID of an account that also gets a direct message, if linked. */
  readonly owner?: string | null;
}

/** `complete` is false if the content server did not say for some subscribers whether they may see it. */
export async function alertInChannels(
  services: Pick<Services, 'store' | 'alerts' | 'clients' | 'languages' | 'log'>,
  { subject, key, repeatAfter = Infinity, wants, message, owner = null }: ChannelAlert,
): Promise<{ complete: boolean }> {
  const { store, alerts, clients } = services;
  const { guid } = subject.content;
  let complete = true;
  const subscribers = await subscribersOf({ store, clients }, guid, ({ channel }, error) => {
    services.log.warn({ err: error, channel }, 'whether a channel may see an event is not known');
    complete = false;
  });
  const toPerson = (team: string, person: string) => ({
    id: `${key}:${team}:${DIRECT}`,
    team,
    channel: `${DIRECT}${person}`,
    reader: person,
    content: guid,
    repeatAfter,
  });
  for (const { subscription, maySee: isSeen } of subscribers) {
    const { team, channel, slack_user: reader, filters, created_time, slack_name } = subscription;
    if (!filters.split(',').some(wants)) continue;
    if (created_time > subject.time) continue;
    if (!isSeen) {
      await endSubscription(services, subscription, lostAccess(slack_name));
      continue;
    }
    const alert = { id: `${key}:${team}:${channel}`, team, channel, reader, content: guid, repeatAfter };
    if (typeof message === 'function') {
      await alerts.send({
        ...alert,
        message: message(await services.languages.ofChannel(team, channel, reader)),
      });
      const person = owner === null ? null : await store.slackUserOf(team, owner);
      if (person === null) continue;
      const texts = await services.languages.ofPerson(team, person);
      await alerts.send({ ...toPerson(team, person), message: message(texts) });
      continue;
    }
    if ('rendering' in message) {
      await alerts.send({ ...alert, message });
      continue;
    }
    const release = { team, channel, content: guid, bundle: message.bundle };
    await addReleaseStep(services, release, message);
    await alerts.send({ ...alert, message: { release } });
    const { actor = null, what } = message;
    if (what !== 'draft_failed' || actor === null || channel.startsWith('D')) continue;
    const person = await store.slackUserOf(team, actor);
    if (person === null) continue;
    await alerts.send({ ...toPerson(team, person), message: { own: release } });
  }
  return { complete };
}
