// Announces a deploy in all channels subscribed to its content.
import type { ContentItem } from '@pressroom/api/client';
import { titleOf } from '../../blocks/names.ts';
import type { Services } from '../../services.ts';
import type { NewNotice, Notice } from '../../store/notices.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import { endSubscription, lostAccess } from '../subscriptions/end-subscription.ts';
import { isQuiet } from '../subscriptions/quiet.ts';
import { subscribersOf } from '../subscriptions/scopes.ts';

export interface StartedDeploy {
  readonly content: Pick<ContentItem, 'guid' | 'name' | 'title' | 'url' | 'bundle_id'>;
  readonly task: string | null;
  readonly bundle: string | null;
  readonly who: string;
  /** Such as `from the command line`. */
  readonly via: string;
  readonly slackUser: string | null;
  /** GUID of the account that started it, if known. */
  readonly actor?: string | null;
  /** Identifies the deploy if the task is unknown. */
  readonly otherwise: string;
  /** Milliseconds. */
  readonly time: number;
  /** A channel that gets it regardless of subscriptions, with the rights of the reader, or else of who started it. */
  readonly channel: { readonly team: string; readonly id: string; readonly reader?: string } | null;
}

interface Place {
  readonly team: string;
  readonly channel: string;
  readonly only: 0 | 1;
  /** Whose rights the channel sees it with. */
  readonly reader: string | null;
}

/**
 * Announces a deploy where it was requested, and to all subscribers who may see it now. `complete` is false if the
 * content server did not say for some of them: they get it when the deploy is announced again.
 */
export async function announceInChannels(
  services: Pick<Services, 'store' | 'announcer' | 'alerts' | 'now' | 'clients' | 'languages' | 'log'>,
  deploy: StartedDeploy,
): Promise<{ notices: Notice[]; complete: boolean }> {
  const { store, announcer } = services;
  const notices: Notice[] = [];
  const announce = async (place: Place) => {
    const linked = deploy.actor ? await store.slackUserOf(place.team, deploy.actor) : null;
    const starter = deploy.slackUser ?? linked;
    const { notice } = await announcer.announce({ ...noticeOf(deploy, place), slack_user: starter });
    notices.push(notice);
  };
  if (deploy.channel) {
    const { team, id: channel, reader = deploy.slackUser } = deploy.channel;
    await announce({ team, channel, only: 0, reader });
  }
  let complete = true;
  const subscribers = await subscribersOf(services, deploy.content.guid, ({ channel }, error) => {
    services.log.warn({ err: error, channel }, 'whether a channel may see a deploy is not known');
    complete = false;
  });
  for (const { subscription, maySee } of subscribers) {
    const { team, channel, slack_user: reader, slack_name } = subscription;
    const only = onlyFailures(subscription, services.now());
    // Deploys from before the subscription are skipped.
    if (only === null || subscription.created_time > deploy.time) continue;
    if (deploy.channel?.team === team && deploy.channel.id === channel) continue;
    if (maySee) await announce({ team, channel, only, reader });
    else await endSubscription(services, subscription, lostAccess(slack_name));
  }
  return { notices, complete };
}

/** 0 for every deploy, 1 for failures only, null for none. */
export function onlyFailures(
  { filters, quiet, zone }: Pick<Subscription, 'filters' | 'quiet' | 'zone'>,
  time: number,
): 0 | 1 | null {
  const words = filters.split(',');
  if (words.includes('deploys') && !isQuiet(quiet, time, zone)) return 0;
  return words.includes('failures') || words.includes('deploys') ? 1 : null;
}

function noticeOf(deploy: StartedDeploy, { team, channel, only, reader }: Place): NewNotice {
  const { content, task, otherwise, bundle, who, via, slackUser, time } = deploy;
  return {
    team,
    channel,
    task,
    otherwise,
    content: content.guid,
    title: titleOf(content),
    url: content.url,
    bundle,
    who,
    via,
    slack_user: slackUser,
    reader,
    previous: content.bundle_id,
    only_failures: only,
    started_time: time,
  };
}
