// Announcing a deploy in every channel that subscribed to its content.
import type { ContentItem } from '@pressroom/api/client';
import { titleOf } from '../blocks/names.ts';
import type { Services } from '../services.ts';
import type { NewNotice, Notice } from '../store/notices.ts';
import type { Subscription } from '../store/store.ts';
import { isQuiet } from './quiet.ts';

export interface StartedDeploy {
  readonly content: Pick<ContentItem, 'guid' | 'name' | 'title' | 'url' | 'bundle_id'>;
  readonly task: string | null;
  readonly bundle: string | null;
  readonly who: string;
  /** As in `from the command line`. */
  readonly via: string;
  readonly slackUser: string | null;
  /** Identifies the deploy where the task is not known. */
  readonly otherwise: string;
  /** Milliseconds. */
  readonly time: number;
  /** A channel that gets it whatever it subscribed to. */
  readonly channel: { readonly team: string; readonly id: string } | null;
}

/** Returns the notices. */
export async function announceInChannels(
  services: Pick<Services, 'store' | 'announcer' | 'now'>,
  deploy: StartedDeploy,
): Promise<Notice[]> {
  const subscriptions = await services.store.subscriptions({ content: deploy.content.guid });
  const wanted = new Map<string, { team: string; channel: string; only: 0 | 1 }>();
  for (const subscription of subscriptions) {
    const only = onlyFailures(subscription, services.now());
    // Deploys from before the subscription are no news.
    if (only === null || subscription.created_time > deploy.time) continue;
    const { team, channel } = subscription;
    wanted.set(`${team}/${channel}`, { team, channel, only });
  }
  if (deploy.channel) {
    const { team, id } = deploy.channel;
    wanted.set(`${team}/${id}`, { team, channel: id, only: 0 });
  }
  const notices: Notice[] = [];
  for (const { team, channel, only } of wanted.values()) {
    const { notice } = await services.announcer.announce(noticeOf(deploy, team, channel, only));
    notices.push(notice);
  }
  return notices;
}

/** 0 for every deploy, 1 for failures only, null for none. */
export function onlyFailures(
  { filters, quiet }: Pick<Subscription, 'filters' | 'quiet'>,
  time: number,
): 0 | 1 | null {
  const words = filters.split(',');
  if (words.includes('deploys') && !isQuiet(quiet, time)) return 0;
  return words.includes('failures') || words.includes('deploys') ? 1 : null;
}

function noticeOf(deploy: StartedDeploy, team: string, channel: string, only: 0 | 1): NewNotice {
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
    previous: content.bundle_id,
    only_failures: only,
    started_time: time,
  };
}
