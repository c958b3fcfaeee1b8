// The notifications of a channel ended: its messages of open releases say so, and lose their buttons.
import type { Services } from '../../services.ts';
import { getsReleases } from '../subscriptions/scopes.ts';
import { isOpen } from './releases.ts';

export type LeaveParts = Pick<Services, 'store' | 'clients'> & {
  readonly alerts: Pick<Services['alerts'], 'send'>;
};

/** Those that no other subscription of the channel includes. @param content only of this item; null for all */
export async function leaveReleases(
  { store, clients, alerts }: LeaveParts,
  place: { readonly team: string; readonly channel: string },
  content: string | null,
): Promise<void> {
  const { team, channel } = place;
  const followed = new Map<string, boolean>();
  for (const release of await store.releases.ofChannel(place, content)) {
    const steps = (await store.releases.find(release))?.steps ?? [];
    const last = steps.at(-1);
    if (last === undefined || !isOpen(steps)) continue;
    const guid = release.content;
    const isFollowed = followed.get(guid) ?? (await getsReleases({ store, clients }, place, guid));
    followed.set(guid, isFollowed);
    if (isFollowed) continue;
    await store.releases.leave(release, last.time);
    const key = { team, channel, content: guid, bundle: release.bundle };
    const id = `left:${guid}:${release.bundle}:${last.id}:${team}:${channel}`;
    await alerts.send({ id, team, channel, reader: null, content: null, message: { release: key } });
  }
}
