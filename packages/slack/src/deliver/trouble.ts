// Crashed processes and failed renders, in the channels that subscribed to the content.
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { inline, line, link, moment } from '../blocks/text.ts';
import type { Services } from '../services.ts';
import { endSubscription, lostAccess } from './end-subscription.ts';
import { subscribersOf } from './scopes.ts';

/** A render that failed, or a process that crashed. */
export interface Trouble {
  /** Of the event. */
  readonly id: string;
  readonly what: 'crash' | 'render';
  readonly content: { readonly guid: string; readonly title: string; readonly url: string | null };
  /** Of a crash, how the process ended; of a render, its task. */
  readonly reason: string;
  /** Milliseconds. */
  readonly time: number;
}

/** Tells every channel that subscribed to deploys or failures of the content, once an hour for crashes. */
export async function alertInChannels(
  services: Pick<Services, 'store' | 'alerts' | 'clients' | 'slack' | 'log'>,
  trouble: Trouble,
): Promise<{ complete: boolean }> {
  const { store, alerts, clients } = services;
  const { guid } = trouble.content;
  let complete = true;
  const subscribers = await subscribersOf({ store, clients }, guid, ({ channel }, error) => {
    services.log.warn({ err: error, channel }, 'whether a channel may see a failure is not known');
    complete = false;
  });
  for (const { subscription, maySee: isSeen } of subscribers) {
    const { team, channel, slack_user: reader, filters, created_time, slack_name } = subscription;
    const words = filters.split(',');
    if (!words.includes('deploys') && !words.includes('failures')) continue;
    if (created_time > trouble.time) continue;
    if (!isSeen) {
      await endSubscription(services, subscription, lostAccess(slack_name));
      continue;
    }
    const which =
      trouble.what === 'crash' ? `crash:${guid}:${Math.floor(trouble.time / HOUR)}` : `event:${trouble.id}`;
    const message = troubleMessage(trouble);
    await alerts.send({ id: `${which}:${team}:${channel}`, team, channel, reader, content: guid, message });
  }
  return { complete };
}

const HOUR = 3_600_000;

export function troubleMessage({ what, content, reason, time }: Trouble): Message {
  const title = link(content.url, content.title);
  const isCrash = what === 'crash';
  const headline = isCrash
    ? `:boom: A process of *${title}* crashed: it ${inline(reason, 200)}.`
    : `:x: *${title}* could not be rendered. The last rendering stays live.`;
  const more = isCrash ? 'Further crashes within the hour are not posted.' : `Task ${inline(reason, 64)}`;
  return fit({
    text: isCrash
      ? `A process of ${inline(content.title)} crashed`
      : `${inline(content.title)} could not be rendered`,
    blocks: [
      section(headline),
      context(`${moment(time)} · ${more}`),
      actions(
        ...(content.url === null ? [] : [button('open', 'Open', '', { url: content.url })]),
        button('run:status', 'Status', `status ${line(content.guid, 64)}`),
        ...(isCrash ? [] : [button('run:logs', 'Logs', `logs ${line(reason, 64)}`)]),
      ),
    ],
  });
}
