// Possible targets of a rollback, with how their last deploy ended.
import type { Bundle, ContentDeploy, TaskEndReason } from '@pressroom/api/contract';
import { outcomeOf } from '../../deliver/deploys/announcement.ts';

/** How a deploy ended. */
export type Outcome = ContentDeploy['state'] | TaskEndReason;

export interface Target {
  readonly id: string;
  /** Time of its last deploy; of its upload if unknown. */
  readonly time: string;
  /** Result of its last deploy; null if unknown. */
  readonly state: Outcome | null;
}

/**
 * Inactive bundles, newest first, with the result of their last deploy.
 * @param bundles empty if the invoker, an administrator, may not list them: then deployed ones
 */
export function targetsOf(
  bundles: readonly Bundle[],
  deploys: readonly ContentDeploy[] | null,
  active: string | null,
): Target[] {
  const deployed = (deploys ?? []).map(({ bundle_id, started_time }) => [bundle_id, started_time] as const);
  const known =
    bundles.length > 0 ? bundles.map(({ id, created_time }) => [id, created_time] as const) : deployed;
  return [...new Map(known)]
    .map(([id, created_time]) => ({ id, created_time }))
    .filter(({ id }) => id !== active)
    .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
    .map(({ id, created_time }) => {
      const last = deploys?.find((deploy) => deploy.bundle_id === id && deploy.state !== 'running');
      return { id, time: last?.started_time ?? created_time, state: last ? outcomeOf(last) : null };
    });
}
