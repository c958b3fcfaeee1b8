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
