// What a deploy leaves behind for its processes to be started from.
import type { ContentRow } from '../content/store.ts';
import type { Environment, LaunchManifest } from './kinds/index.ts';

/** What is needed to start a process of a deploy; kept with the content as `launch`. */
export interface LaunchRecord {
  readonly manifest: LaunchManifest;
  readonly environment: Environment;
}

export interface Deployed {
  readonly content: ContentRow;
  readonly bundleId: number;
  readonly site: string;
  readonly launch: LaunchRecord;
}

/** As the database keeps it: JSON that this server wrote. */
export function storedLaunch(json: string): LaunchRecord {
  return JSON.parse(json) as LaunchRecord;
}

/** What a content item runs from. @throws for one that is not run on demand */
export function deployedOf(content: ContentRow): Deployed {
  const { guid, bundle_id: bundleId, site, launch } = content;
  if (bundleId === null || site === null || launch === null)
    throw new Error(`content ${guid} has nothing to run`);
  return { content, bundleId, site, launch: storedLaunch(launch) };
}
