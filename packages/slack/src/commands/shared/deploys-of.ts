// The deploys of content with their outcomes, and the bundles that a rollback can go to.
import { isMissingEndpoint, type Client, RefusedError } from '@pressroom/api/client';
import type { Bundle, ContentDeploy } from '@pressroom/api/contract';

/** The newest first; null where the asker may not see them, or the server does not list them. */
export async function deploysOf(
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
  guid: string,
): Promise<ContentDeploy[] | null> {
  try {
    return await client.getContentDeploys({ guid }, { signal });
  } catch (error) {
    if (isMissingEndpoint(error)) return null;
    if (error instanceof RefusedError && [403, 404].includes(error.status)) return null;
    throw error;
  }
}

export interface Target {
  readonly id: string;
  /** When it was last deployed; uploaded, where that is not known. */
  readonly time: string;
  /** How its last deploy ended; null where no deploy is known. */
  readonly state: ContentDeploy['state'] | null;
}

/**
 * Bundles that are not active, the newest first, with the outcome of their last deploy.
 * @param bundles none where the asker, an administrator, may not list them: then those that were deployed
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
      return { id, time: last?.started_time ?? created_time, state: last?.state ?? null };
    });
}

/**
 * The bundle that a rollback goes to: the newest before the active one that worked. Where outcomes are not known, the
 * newest before the active one.
 */
export function lastGood(
  targets: readonly Target[],
  active: string | null,
  areKnown: boolean,
): Target | null {
  if (active === null) return null;
  const earlier = targets.filter(({ id }) => BigInt(id) < BigInt(active));
  return earlier.find(({ state }) => !areKnown || state === 'succeeded') ?? null;
}
