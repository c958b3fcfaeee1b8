// Puts the parts together that run content: isolation, launcher, jobs, restores, applications.
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { ContentKeys } from '../auth/content-keys.ts';
import type { Secrets } from '../auth/secrets.ts';
import type { Clock, Ids } from '../config/clock.ts';
import { contentBaseOf } from '../config/content-address.ts';
import type { Config } from '../config/settings.ts';
import type { Storage } from '../storage/db.ts';
import { createApplications, type Applications } from './applications.ts';
import { createContentEnvironment, type ContentEnvironment } from './content-environment.ts';
import { createInstallations, type Installations } from './installations.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { probeIsolation } from './processes/isolation.ts';
import { createLauncher, type Launcher } from './processes/launcher.ts';
import { createRestoreAgain } from './restore-again.ts';
import { createRestorer, type Restorer } from './restore/index.ts';

export interface Runtime {
  readonly launcher: Launcher;
  readonly jobs: Jobs;
  readonly installations: Installations;
  readonly restorer: Restorer;
  readonly environment: ContentEnvironment;
  readonly applications: Applications;
  /** Address of a content item. */
  readonly contentUrl: (contentGuid: string) => string;
}

export interface RuntimeOptions {
  readonly config: Config;
  readonly dataDir: string;
  /** Of restored packages. */
  readonly environments: string;
  /** Whether no other server uses the data directory. */
  readonly isAlone: boolean;
  /** It may hold secrets. */
  readonly settingsFile: string | undefined;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly keys: ContentKeys;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly siteDirectory: (contentGuid: string, site: string) => string;
  readonly contentChanged: (guid: string) => void;
  /** Address of this server, without a slash at the end. */
  readonly address: () => string;
}

/** @throws when isolation is required and not to be had. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, dataDir, isAlone, settingsFile, storage, clock, ids, log, siteDirectory, address } =
    options;
  const isolation = await probeIsolation({
    mode: config['Isolation.Mode'],
    runAs: config['Applications.RunAs'],
  });
  for (const { protected: isProtected, says } of isolation.report) {
    if (isProtected) log.info('Isolation: %s', says);
    else log.warn('Not protected: %s', says);
  }
  const launcher = await createLauncher({
    dataDir,
    isAlone,
    hidden: [dataDir, ...(settingsFile ? [resolve(settingsFile)] : [])],
    isolation,
    ids,
    memory: config['Applications.MemoryLimit'],
    processes: config['Applications.ProcessLimit'],
    network: config['Applications.NetworkAccess'],
  });
  const jobs = await createJobs({ directory: join(dataDir, 'logs'), storage, clock, ids, log });
  const environment = createContentEnvironment(options);
  const installations = createInstallations();
  const restorer = createRestorer({
    launcher,
    directory: options.environments,
    installations,
    inTurn: (work) => storage.write(work),
    clock,
    ids,
    settings: {
      rRepository: config['R.Repository'],
      rPackagePolicy: config['R.PackagePolicy'],
      pythonIndex: config['Python.Index'],
      pythonFindLinks: config['Python.FindLinks'],
    },
  });
  const restoreAgain = createRestoreAgain({
    restorer,
    db: storage.db,
    siteDirectory,
    limit: config['Applications.RenderTimeout'],
    contentChanged: options.contentChanged,
  });
  const applications = createApplications({
    config,
    launcher,
    jobs,
    environment,
    siteDirectory,
    restoreAgain,
    log,
  });
  const contentUrl = (guid: string) => `${contentBaseOf(config, address())}/content/${guid}/`;
  return { launcher, jobs, installations, restorer, environment, applications, contentUrl };
}
