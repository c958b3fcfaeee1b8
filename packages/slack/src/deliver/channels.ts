// Starting deploys as somebody, and telling the channels that want to know.
import type { Bundle, Client, ContentItem } from '@pressroom/api';
import type { NewNotice, Notice } from '../store/notices.ts';
import type { Subscription } from '../store/store.ts';
import { titleOf } from '../commands/status/blocks.ts';
import { fullName } from '../commands/user/blocks.ts';
import type { Asker } from '../link/content-clients.ts';
import { isQuiet } from './quiet.ts';
import type { Services } from '../commands/shared/find-content.ts';

/** A deploy somebody or something started. */
export interface StartedDeploy {
  readonly content: Pick<ContentItem, 'guid' | 'name' | 'title' | 'url' | 'bundle_id'>;
  readonly task: string | null;
  readonly bundle: string | null;
  readonly who: string;
  /** As in `from the command line`. */
  readonly via: string;
  readonly slackUser: string | null;
  /** Stands for it where the task is not known. */
  readonly otherwise: string;
  /** Milliseconds. */
  readonly time: number;
  /** A channel that is told whatever it subscribed to. */
  readonly channel: { readonly team: string; readonly id: string } | null;
}

/** Tells every channel that wants to know; answers the notices. */
export async function tellChannels(
  services: Pick<Services, 'store' | 'announcer' | 'now'>,
  deploy: StartedDeploy,
): Promise<Notice[]> {
  const subscriptions = await services.store.subscriptions({ content: deploy.content.guid });
  const wanted = new Map<string, { team: string; channel: string; only: 0 | 1 }>();
  for (const subscription of subscriptions) {
    const only = wish(subscription, services.now());
    // Nobody is told of what came before they asked.
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

/** 0 for every deploy, 1 for failures only, null for neither. */
export function wish(
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

export interface StartOptions {
  readonly client: Client;
  readonly asker: Asker;
  readonly content: ContentItem;
  readonly bundle: string | null;
  readonly signal: AbortSignal;
}

/** Starts a deploy with the asker's rights, in front of the asker's channel. */
export async function startDeploy(services: Services, options: StartOptions): Promise<{ task: string }> {
  const { client, asker, content, bundle, signal } = options;
  const me = await client.getCurrentUser({}, { signal });
  const guid = content.guid;
  const { task_id } = await client.deployContentBundle({
    guid,
    ...(bundle !== null && { bundle_id: bundle }),
  });
  await tellChannels(services, {
    content,
    task: task_id,
    bundle: bundle ?? content.bundle_id,
    who: fullName(me),
    via: 'from Slack',
    slackUser: asker.user,
    otherwise: task_id,
    time: services.now(),
    channel: { team: asker.team, id: asker.channel },
  });
  return { task: task_id };
}

/** The bundle before the active one; null when there is none. */
export function bundleBefore(bundles: readonly Bundle[], active: string | null): Bundle | null {
  if (active === null) return null;
  const earlier = bundles.filter(({ id }) => BigInt(id) < BigInt(active));
  return earlier.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))[0] ?? null;
}
