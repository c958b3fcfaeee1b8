// Quiet hours of releases: their message comes when the hours end, since people have to decide about it.
import type { ReleaseKey } from '../../store/releases.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { quietEnd } from '../subscriptions/quiet.ts';
import { scopeOf } from '../subscriptions/scopes.ts';
import { latestRelease } from './releases.ts';

/** Milliseconds until the subscriptions are read again. */
const MAX_PAUSE_MS = 3_600_000;

/**
 * When to post the message of a release; now, if the channel has it already, as an edit notifies nobody, or if it is
 * about a failure.
 */
export async function heldUntil(
  { store }: Pick<DeliveryParts, 'store'>,
  { team, channel, content, bundle }: ReleaseKey,
  reader: string | null,
  now: number,
): Promise<number> {
  const known = await store.releases.find({ team, channel, content, bundle });
  if (reader === null || known === null || known.release.ts !== null) return now;
  if (latestRelease(known.steps).some(({ what }) => what === 'back' || what === 'draft_failed')) return now;
  const own = await store.subscriptions({ team, channel, slack_user: reader });
  const ends = own
    .filter((subscription) => subscription.content === content || scopeOf(subscription) !== null)
    .filter(({ filters }) => filters.split(',').includes('deploys'))
    .map(({ quiet, zone }) => quietEnd(quiet, now, zone));
  return ends.length === 0 ? now : Math.min(...ends, now + MAX_PAUSE_MS);
}
