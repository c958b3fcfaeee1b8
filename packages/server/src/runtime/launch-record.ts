// The launch record: what a deploy stores to start its processes.
import type { ContentRow } from '../content/store.ts';
import type { Environment, LaunchManifest } from './kinds/index.ts';

/** Data to start a process of a deploy; stored with the content as `launch`. */
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

/** As stored: JSON written by this server. */
export function storedLaunch(json: string): LaunchRecord {
  return JSON.parse(json) as LaunchRecord;
}

/** The deploy that content runs from. @throws for content without processes */
export function deployedOf(content: ContentRow): Deployed {
  const { guid, bundle_id: bundleId, site, launch } = content;
  if (bundleId === null || site === null || launch === null)
    throw new Error(`content ${guid} has nothing to run`);
  return { content, bundleId, site, launch: storedLaunch(launch) };
}
