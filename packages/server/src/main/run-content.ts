// Assembles what runs content on this server: starting and confining processes, their files, recording their ends, and
// following changes in the database.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { archiveLimits } from '../bundles/commands.ts';
import { createEndCounter } from '../canaries/count-ends.ts';
import { createCanaryCounter, type CanaryCounter } from '../canaries/counter.ts';
import { saveFigures } from '../canaries/store.ts';
import { createDrain, serverName, type Drain } from '../cluster/drain.ts';
import { createContentKeys, type ContentKeys } from '../content/content-keys.ts';
import { createFailureNotifier } from '../content/notify-of-failures.ts';
import { isOldVersion } from '../deploys/sites/old-versions.ts';
import { createOpenDeployed, type OpenDeployed } from '../deploys/sites/open-deployed.ts';
import { shareOfDisk } from '../deploys/sites/share-of-disk.ts';
import { createUnpackedSites, type UnpackedSites } from '../deploys/sites/unpacked-sites.ts';
import { createCrashRecorder } from '../events/crash-event.ts';
import { bundlesThatRun } from '../jobs/store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Mailer } from '../platform/mailer.ts';
import { createRuntime, type Runtime } from '../runtime/create-runtime.ts';
import type { Installations } from '../runtime/installations.ts';
import { createStarter } from '../runtime/sandbox/create-starter.ts';
import type { Starter } from '../runtime/sandbox/starter.ts';
import type { ContentRoute } from '../visitors/content-route.ts';
import { createConnections, type Connections } from '../visitors/proxy/connections.ts';
import { createContentSite, type ContentSite } from '../visitors/site/index.ts';
import type { Config } from './config/settings.ts';
import { type Changes, createChanges } from './follow-changes.ts';
import type { State } from './open-state.ts';
import { starterOptions } from './starter-options.ts';

export interface RunningContent {
  readonly site: ContentSite;
  /** Null if deploys unpack into a directory for good. */
  readonly sites: UnpackedSites | null;
  /** Files of earlier bundles, unpacked when they are opened. */
  readonly sitesOfOld: UnpackedSites;
  readonly openDeployed: OpenDeployed | null;
  readonly connections: Connections;
  readonly changes: Changes;
  readonly keys: ContentKeys;
  readonly counter: CanaryCounter;
  readonly runtime: Runtime;
  readonly drain: Drain;
}

export interface ContentOptions {
  /** The settings file, if any. */
  readonly settingsFile?: string | undefined;
  /** Starts processes of content; by default as children of this process. */
  readonly starter?: Starter;
  /** Runtimes on this machine; by default detected on first use. */
  readonly installations?: Installations;
  /** Why requests are not handled by another account, for the isolation report. */
  readonly whyNotSeparated?: string;
}

export interface RunningContentParts extends State {
  readonly config: Config;
  readonly options: ContentOptions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly mailer: Mailer | null;
  /** Whether there are event receivers. */
  readonly recordsEvents: boolean;
  /** Called for each process of content that crashes. */
  readonly crashed: () => void;
  /** Address of this server, without a trailing slash. */
  readonly address: () => string;
  readonly route: () => ContentRoute;
}

/** Parts of the disk that unpacked files may take: all of them, and those of earlier bundles beside deployed ones. */
const SHARE = 0.75;
const SHARE_OF_OLD = 0.25;

/** @param stack closes what is opened here. */
export async function runContent(
  parts: RunningContentParts,
  stack: AsyncDisposableStack,
): Promise<RunningContent> {
  const {
    config,
    options,
    paths,
    claim,
    storage,
    secrets,
    blobs,
    jobs,
    heartbeat,
    clock,
    ids,
    log,
    mailer,
    address,
  } = parts;
  const { db } = storage;
  const starter = stack.use(
    options.starter ??
      (await createStarter({
        ...starterOptions(config, options.settingsFile, ids),
        isAlone: claim.isAlone,
        whyNotSeparated: options.whyNotSeparated,
        onEngine: ({ level, message }) => log[level](message),
      })),
  );
  const unpacked = (isOwn: (name: string) => boolean, share: number) =>
    createUnpackedSites({
      directory: paths.contents,
      workDirectory: paths.unpacking,
      isOwn,
      limit: config['Storage.CacheSize'],
      room: shareOfDisk(paths.contents, config['Applications.DiskReserve'], share),
      clock,
      log,
      removeTree: (path) => launcher.remove(path),
      bundlesThatRun: (guid) => bundlesThatRun(db, guid),
      onGone: (root) => site.drop(root),
    });
  const sites = blobs.sites && unpacked(() => true, SHARE);
  const sitesOfOld = sites ?? unpacked(isOldVersion, SHARE_OF_OLD);
  const site = createContentSite({});
  const openDeployed =
    sites &&
    blobs.sites &&
    createOpenDeployed({
      sites,
      blobs,
      archives: blobs.sites,
      db,
      limits: archiveLimits(config),
      launcher: () => launcher,
    });
  const connections = createConnections();
  const changes = createChanges({
    storage,
    sites,
    jobs,
    connections,
    log,
    late: () => ({ applications, route: parts.route() }),
  });
  const keys = createContentKeys(storage, secrets, clock);
  const counter = createCanaryCounter(
    (rows) =>
      storage.write(async (tx) => {
        for (const row of rows) await saveFigures(tx, row);
      }, 'canaries'),
    ids.uuid(),
  );
  const countEnd = createEndCounter(db, counter);
  const recordCrash = createCrashRecorder(storage, clock);
  const notifyOwner = createFailureNotifier({ storage, mailer, log, address });
  const runtime = await createRuntime(
    {
      config,
      starter,
      installations: options.installations,
      jobs,
      environments: paths.environments,
      storage,
      secrets,
      keys,
      clock,
      ids,
      log,
      siteDirectory: (guid, name) => join(paths.contents, guid, name),
      openFiles: openDeployed && openDeployed.run,
      contentChanged: changes.contentChanged,
      address,
      heartbeat: config['Cluster.Listen'] === '' ? null : heartbeat,
      async onCrash(crash) {
        const { contentGuid: content, key: job, ending } = crash;
        log.warn({ content, job }, 'a process of content crashed: it %s', ending.message);
        parts.crashed();
        await countEnd(crash, 'crashes');
        if (parts.recordsEvents) await recordCrash(crash);
        notifyOwner({ ...crash, reason: crash.ending.message });
      },
      async onFailedStart(failed) {
        await countEnd(failed, 'failed_starts');
        notifyOwner({ ...failed, time: clock.now() });
      },
    },
    stack,
  );
  const { launcher, applications } = runtime;
  const drain = createDrain({
    storage,
    server: serverName(config),
    log,
    applications,
    onResume: changes.followSoon,
  });
  await drain.follow();
  stack.use(connections);
  return { site, sites, sitesOfOld, openDeployed, connections, changes, keys, counter, runtime, drain };
}
