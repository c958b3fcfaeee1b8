// Canaries: deploys whose bundle takes a share of new sessions before it goes live.
import type { Client } from '../../client/client.ts';
import { isMissingEndpoint, nullIfHidden } from '../../client/dialects.ts';
import { RefusedError } from '../../client/failures.ts';
import type { ContentItem } from '../../client/methods.ts';
import { engineOf, findKind } from '../../contract/find-kind.ts';
import type { Canary, CanaryRule } from '../../contract/index.ts';
import { deploysOf, wasLive } from './rollback-target.ts';

export interface CanaryOptions {
  /** Percentage of new sessions; 0 goes live at once, whatever the content's rule. */
  readonly share: number;
  /** Seconds until it goes live, unless it is worse; by default as the rule says. */
  readonly length?: number;
}

export class NoCanariesError extends Error {
  override readonly name = 'NoCanariesError';
  constructor() {
    super('This server has no canaries: the bundle would go live.');
  }
}

/** The server would refuse it as well, after the upload. */
class CanaryUnsupportedError extends Error {
  override readonly name = 'CanaryUnsupportedError';
  readonly code = 39;
  readonly hint = 'Deploy it without a canary, or as a draft to look at it first.';
  constructor(appmode: string) {
    super(`Only applications and APIs have canaries, and this is of type ${appmode}: nothing was sent.`);
  }
}

/** @throws CanaryUnsupportedError for content without processes */
export function refuseCanaryOf(appmode: string): void {
  const kind = findKind(appmode);
  if (kind !== undefined && kind.engine !== 'application') throw new CanaryUnsupportedError(appmode);
}

/**
 * Starts the deploy of a bundle as a canary. @throws NoCanariesError on a server that would make it live; call failures
 * @returns the id of the task
 */
export async function startCanary(
  client: Client,
  guid: string,
  bundle_id: string,
  canary: CanaryOptions,
): Promise<string> {
  // Servers without canaries would ignore the option, and make the bundle live.
  const isKnown = await client.getCanary({ guid }).then(
    () => true,
    (error: unknown) => {
      if (isMissingEndpoint(error)) return false;
      if (error instanceof RefusedError && error.status === 404) return true;
      throw error;
    },
  );
  if (isKnown) return (await client.buildContent({ guid, bundle_id, canary })).task_id;
  if (canary.share > 0) throw new NoCanariesError();
  return (await client.deployContentBundle({ guid, bundle_id })).task_id;
}

/** Null if the bundle is live, or the server does not support canaries. Throws other failures. */
export async function findStartedCanary(
  client: Client,
  content: Pick<ContentItem, 'guid' | 'bundle_id'>,
  bundle_id: string,
): Promise<Canary | null> {
  // A first deploy, or a server that does not report the live bundle.
  if (content.bundle_id === null || content.bundle_id === undefined || content.bundle_id === bundle_id)
    return null;
  try {
    const canary = await client.getCanary({ guid: content.guid });
    const isOpen = ['running', 'waiting', 'finishing'].includes(canary.state);
    return canary.bundle_id === bundle_id && isOpen ? canary : null;
  } catch (error) {
    if (isMissingEndpoint(error) || error instanceof RefusedError) return null;
    throw error;
  }
}

/** The rule by which a bundle that is made live begins as a canary instead; null if it goes live at once. */
export async function canaryRuleFor(
  client: Client,
  guid: string,
  bundle_id: string,
): Promise<CanaryRule | null> {
  const rule = await nullIfHidden(client.getCanaryRule({ guid }));
  if (rule === null) return null;
  const content = await client.getContent({ guid });
  if (!content.bundle_id || engineOf(content.app_mode) !== 'application') return null;
  // What was live before goes live at once, and so does the canary itself.
  const deploys = await deploysOf(client, guid);
  if (deploys?.some((deploy) => deploy.bundle_id === bundle_id && wasLive(deploy))) return null;
  return (await findStartedCanary(client, content, bundle_id)) === null ? rule : null;
}
