// The deploys that have a process pool on this server, by content item; `applications.ts` decides about them.
import type { ContentRow } from '../content/store.ts';
import type { Pool } from './pool/pool.ts';
import type { StartedFor } from './started-for.ts';

export interface DeployInUse extends StartedFor {
  content: ContentRow;
  readonly pool: Pool;
  print: ((line: string) => void) | null;
  onTrial: boolean;
  isDraft: boolean;
  /** Was active before, and ends after its last connection. */
  isDraining: boolean;
  /** False while its first process waits for others to end. */
  hasBegun: boolean;
  /** Its places within the limits of all servers. */
  readonly places: Set<Disposable>;
}

export interface DeploysInUse {
  add(deploy: DeployInUse): void;
  /** Removes one without processes: it is added again on demand. One on trial stays. */
  forgetIfUnused(deploy: DeployInUse): void;
  find(contentGuid: string, site: string | null): DeployInUse | undefined;
  of(contentGuid: string): DeployInUse[];
  /** Content items that have any. */
  contentGuids(): string[];
  /** Makes room for a replacement, while its last visitors stay. */
  replace(deploy: DeployInUse): void;
  /** What was replaced has no processes any more. */
  ended(deploy: DeployInUse): void;
  /** Whether it takes no new visitors. */
  isLeaving(deploy: DeployInUse): boolean;
  /** With those that were replaced; of all content without `contentGuid`. */
  withReplaced(contentGuid?: string): DeployInUse[];
}

export function createDeploysInUse(): DeploysInUse {
  const byContent = new Map<string, Map<string, DeployInUse>>();
  const replaced = new Set<DeployInUse>();

  const find = (contentGuid: string, site: string | null) => byContent.get(contentGuid)?.get(site ?? '');
  const of = (contentGuid: string) => [...(byContent.get(contentGuid)?.values() ?? [])];

  return {
    find,
    of,
    contentGuids: () => [...byContent.keys()],
    add(deploy) {
      const { guid } = deploy.content;
      const ofContent = byContent.get(guid) ?? new Map<string, DeployInUse>();
      byContent.set(guid, ofContent.set(deploy.site, deploy));
    },
    forgetIfUnused(deploy) {
      const { content, site, onTrial } = deploy;
      // It may have been replaced while it drained.
      if (onTrial || find(content.guid, site) !== deploy) return;
      const ofContent = byContent.get(content.guid);
      ofContent?.delete(site);
      if (ofContent?.size === 0) byContent.delete(content.guid);
    },
    replace: (deploy) => void replaced.add(deploy),
    ended: (deploy) => void replaced.delete(deploy),
    isLeaving: (deploy) => deploy.isDraining || replaced.has(deploy),
    withReplaced(contentGuid) {
      if (contentGuid === undefined) return [...[...byContent.keys()].flatMap(of), ...replaced];
      return [...of(contentGuid), ...[...replaced].filter(({ content }) => content.guid === contentGuid)];
    },
  };
}
