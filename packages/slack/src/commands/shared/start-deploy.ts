// Starting a deploy with the rights of the asker, in front of the asker's channel.
import type { Client, ContentItem } from '@pressroom/api/client';
import type { Bundle } from '@pressroom/api/contract';
import { fullName } from '../../blocks/names.ts';
import { announceInChannels } from '../../deliver/channels.ts';
import type { Asker } from '../../deliver/reply.ts';
import type { Services } from '../../services.ts';

export interface StartOptions {
  readonly client: Client;
  readonly asker: Asker;
  readonly content: ContentItem;
  /** Null for the active one. */
  readonly bundle: string | null;
  readonly signal: AbortSignal;
}

export async function startDeploy(services: Services, options: StartOptions): Promise<{ task: string }> {
  const { client, asker, content, bundle, signal } = options;
  const me = await client.getCurrentUser({}, { signal });
  const { task_id } = await client.deployContentBundle({
    guid: content.guid,
    ...(bundle !== null && { bundle_id: bundle }),
  });
  await announceInChannels(services, {
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

/** The bundle that a rollback goes to; null when there is none. */
export function previousBundle(bundles: readonly Bundle[], active: string | null): Bundle | null {
  if (active === null) return null;
  const earlier = bundles.filter(({ id }) => BigInt(id) < BigInt(active));
  return earlier.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))[0] ?? null;
}
