// Which bundle a rollback goes to if nobody names one.
import { type CallOptions, type Client, nullIfHidden } from '../../client/index.ts';
import type { ContentDeploy } from '../../contract/index.ts';

/** Newest first; null if the caller may not see them, or the server does not list them. Throws other failures. */
export function deploysOf(
  client: Client,
  guid: string,
  options: CallOptions = {},
): Promise<ContentDeploy[] | null> {
  return nullIfHidden(client.getContentDeploys({ guid }, options));
}

/**
 * For ordering: ids grow.
 * @throws Error for an id of another vendor's server that is no number: a guess could make a wrong bundle live
 */
export function bundleNumber(id: string): bigint {
  if (/^\d+$/.test(id)) return BigInt(id);
  throw new Error(`The server's bundle id ${id} is no number, so which bundle is newer is unknown.`);
}

/**
 * Of the bundles uploaded before the active one, the one that was live last: a failed deploy, a draft, and a canary that
 * was rolled back never were. Without deploys, the newest of them; null if there is none.
 * @param ids of the content's bundles, in any order
 */
export function rollbackTarget(
  ids: readonly string[],
  deploys: readonly ContentDeploy[] | null,
  active: string | null,
): string | null {
  if (active === null) return null;
  const earlier = ids
    .filter((id) => bundleNumber(id) < bundleNumber(active))
    .toSorted((a, b) => (bundleNumber(a) < bundleNumber(b) ? 1 : -1));
  if (deploys === null) return earlier[0] ?? null;
  const live = deploys.find((deploy) => earlier.includes(deploy.bundle_id) && wasLive(deploy));
  return live?.bundle_id ?? null;
}

/** Older servers do not say whether a bundle was live. */
export function wasLive({
  state,
  was_live = true,
}: Pick<ContentDeploy, 'state'> & { was_live?: boolean }): boolean {
  return state === 'succeeded' && was_live;
}
