// Assembles the runtime of content: isolation, launcher, jobs, restores, applications.
import type { Logger } from 'pino';
import type { Heartbeat } from '../cluster/heartbeat.ts';
import { contentBaseOf } from '../content/address.ts';
import type { ContentKeys } from '../content/content-keys.ts';
import { createSourcesOf, type SourcesOf } from '../content/package-sources/sources-of.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { listOf } from '../main/config/setting-kinds.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { createApplications, type Applications } from './applications.ts';
import { COMMON, createContentEnvironment, type ContentEnvironment } from './content-environment.ts';
import type { Crash } from './follow-process.ts';
import { createImageInstallations } from './installations-of-images.ts';
import { createInstallations, type Installations } from './installations.ts';
import { createPlaces } from './pool/places.ts';
import { createPrepared } from './prepared/prepared.ts';
import { createRestoreAgain } from './restore-again.ts';
import { createRestorer, type Restorer } from './restore/index.ts';
import { createLauncher, type Launcher } from './sandbox/launcher.ts';
import type { Starter } from './sandbox/starter.ts';
import type { OpenFiles } from './start-process.ts';

export interface Runtime {
  readonly launcher: Launcher;
  readonly jobs: Jobs;
  readonly installations: Installations;
  readonly restorer: Restorer;
  readonly sourcesOf: SourcesOf;
  readonly environment: ContentEnvironment;
  readonly applications: Applications;
  /** Address of a content item. */
  readonly contentUrl: (contentGuid: string) => string;
}

export interface RuntimeOptions {
  readonly config: Config;
  /** Directory of restored packages. */
  readonly environments: string;
  readonly starter: Starter;
  /** Runtimes of this machine, if they were detected already. */
  readonly installations: Installations | undefined;
  readonly jobs: Jobs;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly keys: ContentKeys;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly siteDirectory: (contentGuid: string, site: string) => string;
  readonly openFiles: OpenFiles | null;
  readonly contentChanged: (guid: string) => void;
  /** Address of this server, without a trailing slash. */
  readonly address: () => string;
  readonly onCrash?: ((crash: Crash) => Promise<void>) | undefined;
  readonly onFailedStart?: ((failed: Pick<Crash, 'contentGuid' | 'bundleId'>) => Promise<void>) | undefined;
  /** Null if servers cannot reach each other: then visitors cannot share their processes. */
  readonly heartbeat: Heartbeat | null;
}

/** @param stack closes what is opened here. */
export async function createRuntime(options: RuntimeOptions, stack: AsyncDisposableStack): Promise<Runtime> {
  const { config, starter, jobs, storage, clock, ids, log, siteDirectory, openFiles, address, onCrash } =
    options;
  for (const { protected: isProtected, message } of starter.isolation.report) {
    if (isProtected) log.info('Isolation: %s', message);
    else log.warn('Not protected: %s', message);
  }
  const launcher = createLauncher({
    starter,
    ids,
    memory: config['Applications.MemoryLimit'],
    disk: config['Applications.DiskLimit'],
  });
  const environment = createContentEnvironment(options);
  const { containers } = starter;
  for (const { name, r, python } of containers?.images ?? [])
    log.info(
      'Image %s: %s',
      name,
      [r && `R ${r.version}`, python && `Python ${python.version}`].filter(Boolean).join(', ') || 'Node.js',
    );
  const installations = containers
    ? createImageInstallations(containers.images)
    : (options.installations ??
      createInstallations({
        r: listOf(config['R.Executable']),
        python: listOf(config['Python.Executable']),
        onBroken: (file) => log.warn('%s, which a setting names, does not run', file),
      }));
  const restorer = createRestorer({
    launcher,
    directory: options.environments,
    installations,
    // Eviction, which waits for all writers, waits for this, too; other writers need not.
    exclusively: (work) => storage.write(work, 'restored packages'),
    clock,
    ids,
    settings: {
      rRepository: config['R.Repository'],
      rPackagePolicy: config['R.PackagePolicy'],
      pythonIndex: config['Python.Index'],
      pythonFindLinks: config['Python.FindLinks'],
      credentials: config['Packages.Netrc'],
      privateHosts: config['Packages.PrivateHosts'],
      pythonUv: config['Python.Uv'],
      rVersionMatching: config['R.VersionMatching'],
      pythonVersionMatching: config['Python.VersionMatching'],
      network: config['Applications.NetworkAccess'],
      diskReserve: config['Applications.DiskReserve'],
    },
  });
  const sourcesOf = createSourcesOf(storage, options.secrets, config);
  const restoreAgain = createRestoreAgain({
    restorer,
    directory: options.environments,
    installations,
    sourcesOf,
    db: storage.db,
    siteDirectory,
    limit: config['Applications.RenderTimeout'],
    contentChanged: options.contentChanged,
    isOwn: openFiles !== null,
    images: containers && containers.images.map(({ id }) => id),
  });
  const { heartbeat } = options;
  const places = heartbeat && stack.use(createPlaces({ storage, heartbeat, ids, log }));
  const applications = stack.use(
    createApplications({
      config,
      places,
      launcher,
      prepared: createPrepared({
        launcher,
        most: config['Applications.PreparedProcesses'],
        idle: config['Applications.PreparedIdleTimeout'],
        initTimeout: config['Scheduler.InitTimeout'],
        env: COMMON,
        log,
      }),
      installations,
      jobs,
      environment,
      siteDirectory,
      openFiles,
      restoreAgain,
      clock,
      log,
      onCrash,
      onFailedStart: options.onFailedStart,
    }),
  );
  const contentUrl = (guid: string) => `${contentBaseOf(config, address())}/content/${guid}/`;
  return { launcher, jobs, installations, restorer, sourcesOf, environment, applications, contentUrl };
}
