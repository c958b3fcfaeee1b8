// Restores missing packages of an active deploy: the data directory was moved, or lost them.
import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { LRUCache } from 'lru-cache';
import { findBundle } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import type { SourcesOf } from '../content/package-sources/sources-of.ts';
import { setLaunch } from '../content/store.ts';
import { timerMs } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Installations } from './installations.ts';
import type { Environment } from './kinds/index.ts';
import type { Deployed, LaunchRecord } from './launch-record.ts';
import type { Restorer } from './restore/index.ts';
import { startFailed } from './unavailable.ts';

export interface RestoreAgainOptions {
  readonly restorer: Restorer;
  /** Where this server keeps packages. */
  readonly directory: string;
  readonly installations: Installations;
  readonly sourcesOf: SourcesOf;
  readonly db: Executor;
  readonly siteDirectory: (contentGuid: string, site: string) => string;
  /** Seconds for the restore; 0 for no limit. */
  readonly limit: number;
  /** Called after the database was updated. */
  readonly contentChanged: (guid: string) => void;
  /** Whether each server has its own packages: then the result is kept in memory, not in the database. */
  readonly isOwn: boolean;
  /** Ids of the available images; null if processes run on this machine. */
  readonly images: readonly string[] | null;
}

/**
 * The launch record to start a process with, renewed if needed.
 * @throws Unavailable, caused by an error of Restorer.restore.
 */
export type RestoreAgain = (
  deployed: Deployed,
  print: (line: string) => void,
  signal: AbortSignal,
) => Promise<LaunchRecord>;

/** Maximum deploys remembered. */
const OWN_KEPT = 1000;

export function createRestoreAgain(options: RestoreAgainOptions): RestoreAgain {
  const { restorer, installations, sourcesOf, db, siteDirectory, limit, contentChanged, isOwn } = options;
  const own = new LRUCache<string, LaunchRecord>({ max: OWN_KEPT });
  return async ({ content, bundleId, site, launch: stored }, print, signal) => {
    const launch = own.get(site) ?? stored;
    const { language } = launch.environment;
    if (language === null) return launch;
    if (isThere(launch.environment, options) && (await isInstalled(launch.environment, installations)))
      return launch;
    const bundle = await findBundle(db, bundleId);
    if (!bundle) return launch;
    print('Restoring missing packages...');
    const late = AbortSignal.timeout(timerMs(limit));
    const restoring = restorer.restore({
      language,
      manifest: storedManifest(bundle.manifest),
      source: siteDirectory(content.guid, site),
      // The content may have changed its files since the deploy: what is built from them is not shared.
      fingerprint: site,
      owner: content.guid,
      runAs: content.run_as,
      sources: await sourcesOf(content.guid),
      print,
      signal: limit > 0 ? AbortSignal.any([signal, late]) : signal,
    });
    const environment = await restoring.catch((cause: unknown) => {
      const isLate = limit > 0 && late.aborted && !signal.aborted;
      throw startFailed(isLate ? new Error(`it took longer than ${limit} seconds`) : cause);
    });
    const renewed = { ...launch, environment };
    if (isOwn) {
      own.set(site, renewed);
      return renewed;
    }
    await setLaunch(db, content.guid, site, JSON.stringify(renewed));
    contentChanged(content.guid);
    return renewed;
  };
}

/** The interpreter may be missing, too: another one of its language, or of a newer image, replaces it. */
function isThere(
  { file, readable: [packages], image }: Environment,
  { directory, images }: Pick<RestoreAgainOptions, 'directory' | 'images'>,
): boolean {
  // Those of another data directory, of which this one is a copy, count as missing.
  if (packages !== undefined && !(packages.startsWith(directory + sep) && existsSync(packages))) return false;
  if (images === null) return image === undefined && existsSync(file);
  // The interpreter itself is in the image.
  return image !== undefined && images.includes(image);
}

/** Content may not see the directories of an interpreter that is no longer in the settings. */
async function isInstalled(
  { language, interpreter = [] }: Environment,
  installations: Installations,
): Promise<boolean> {
  if (interpreter.length === 0) return true;
  const found = await (language === 'R' ? installations.listR() : installations.listPython());
  return found.some(({ readable }) => interpreter.every((path) => readable.includes(path)));
}
