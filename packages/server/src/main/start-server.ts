// Puts the parts of a server together, sweeps what a crash left behind, listens, and takes it all down again.
import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import { createAudit } from '../audit/record.ts';
import { createSecurityEvents } from '../audit/security-events.ts';
import { sinksOf, startAuditSinks } from '../audit/sinks.ts';
import { archiveLimits } from '../bundles/commands.ts';
import { createCanaryCounter } from '../canaries/counter.ts';
import { createEndCounter } from '../canaries/count-ends.ts';
import { createHealthCheck } from '../canaries/health.ts';
import { saveFigures } from '../canaries/store.ts';
import { watchCanaries } from '../canaries/watch-canaries.ts';
import { createDrain, DRAINED, serverName } from '../cluster/drain.ts';
import { startLife } from '../cluster/life.ts';
import { createFailureTeller } from '../content/tell-of-failures.ts';
import { endRequests } from '../content/access-requests/expire.ts';
import { lookForLinks } from '../content/links/look-for-links.ts';
import { tellOfUnused } from '../content/unused/tell.ts';
import { createContentKeys } from '../content/content-keys.ts';
import { endPermissions } from '../content/permissions/end-permissions.ts';
import { tellStuckReleases } from '../deploys/stuck-releases.ts';
import { saveTakenThumbnail } from '../content/thumbnails/commands.ts';
import { applicationContents, findContent } from '../content/store.ts';
import { draftSites } from '../deploys/draft-store.ts';
import { removeEndedDrafts } from '../deploys/drafts.ts';
import { deployMissing } from '../deploys/deploy-missing.ts';
import { createDeployService } from '../deploys/deploy-service.ts';
import { createOldVersions } from '../deploys/old-versions.ts';
import { createOpenDeployed } from '../deploys/open-deployed.ts';
import { createPipeline } from '../deploys/pipeline.ts';
import { resumeTask } from '../deploys/resume.ts';
import { restartApplication } from '../deploys/restart-application.ts';
import { createUnpackedSites } from '../deploys/unpacked-sites.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { eventReceivers, startEvents } from '../events/send.ts';
import { createCrashRecorder } from '../events/crash-event.ts';
import { recordTaskEvent } from '../events/task-event.ts';
import { resumeRepositoryDeploy } from '../git/deploy-commit.ts';
import { createGit } from '../git/git.ts';
import { noteOffered } from '../git/host-keys.ts';
import { createLooks, type Looks } from '../git/look.ts';
import { createHttpServer } from '../http/http-server.ts';
import { createJobs, SESSION_GRACE } from '../jobs/jobs.ts';
import { endLostJobs, recentlyRun } from '../jobs/store.ts';
import { createProcesses, processCalls } from '../jobs/processes.ts';
import { startMails } from '../mailing/send-mails.ts';
import { listenForMetrics } from '../monitoring/listen-for-metrics.ts';
import { createMetrics } from '../monitoring/metrics.ts';
import { tellAll } from '../monitoring/request-observer.ts';
import { startTraces } from '../monitoring/start-traces.ts';
import type { Directory } from '../people/directory.ts';
import { claimDataDirectory } from '../platform/claim-data-directory.ts';
import { systemClock, systemIds, timerMs, type Clock } from '../platform/clock.ts';
import { openStorage } from '../platform/database/storage.ts';
import { startDiskWatch } from '../platform/disk-watch.ts';
import { createMailer } from '../platform/mailer.ts';
import { previousKeys, readSecretKey } from '../platform/secrets/secret-key.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import type { Installations } from '../runtime/installations.ts';
import { removePlacesOf } from '../runtime/pool/place-store.ts';
import { prepareRecent } from '../runtime/prepared/prepare-recent.ts';
import { createRuntime } from '../runtime/create-runtime.ts';
import { createPictures, noPictures, type Pictures } from '../runtime/pictures/pictures.ts';
import { workIn } from '../runtime/restore/index.ts';
import { createStarter } from '../runtime/sandbox/create-starter.ts';
import type { Starter } from '../runtime/sandbox/starter.ts';
import type { AskPam } from '../runtime/sandbox/supervisor/supervisor.ts';
import { createSchedules } from '../schedules/schedules.ts';
import { createAuthenticator } from '../sign-in/authenticator.ts';
import { createPasswords, type Passwords } from '../sign-in/passwords/passwords.ts';
import { createProvider } from '../sign-in/providers/index.ts';
import { signInLink } from '../sign-in/sign-in-link.ts';
import { setUpLink } from '../sign-in/set-up.ts';
import { createGuesses } from '../sign-in/shared-guesses.ts';
import { createThrottle, FORGOTTEN_AFTER } from '../sign-in/throttle.ts';
import { createCiTokens } from '../sign-in/trusted-publishers/verify-token.ts';
import { createTaskService } from '../tasks/task-service.ts';
import { createVisitRecorder } from '../usage/visit-recorder.ts';
import { endVariants } from '../variants/end-variants.ts';
import { renderVariantsAgain } from '../variants/render.ts';
import { createContentOrigin } from '../visitors/content-origin.ts';
import { createContentPlaces } from '../visitors/content-places.ts';
import { createContentRoute, type ContentRoute } from '../visitors/content-route.ts';
import { createHotPages } from '../visitors/hot-pages.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import { createElsewhere, sessionCalls } from '../visitors/elsewhere.ts';
import { createApplicationProxy } from '../visitors/proxy/application-proxy.ts';
import { createConnections } from '../visitors/proxy/connections.ts';
import { createShinySockets } from '../visitors/proxy/shiny-sockets.ts';
import { createContentSite } from '../visitors/site/index.ts';
import { takeVisits } from '../visitors/take-visits.ts';
import { createBackupNow } from './backup/backup-now.ts';
import { checksOfRunning, createExamination } from './doctor/examine-running.ts';
import { cleanUp } from './clean-up.ts';
import type { Config } from './config/settings.ts';
import { joinCluster, openCluster } from './join-cluster.ts';
import { startHousekeeping } from './housekeeping.ts';
import { listen } from './listen.ts';
import { mountRoutes } from './mount-routes.ts';
import { openBlobs } from './open-blobs.ts';
import type { Services } from './services.ts';
import { startSetUpReminder } from './set-up-reminder.ts';
import { starterOptions } from './starter-options.ts';

export interface RunningServer extends AsyncDisposable {
  /** The address it listens on, without a slash at the end. */
  readonly url: string;
  readonly services: Services;
  /** From now on proxies and other servers are told to send visitors elsewhere; all that comes is still answered. */
  drain(): void;
  /** Where the first administrator is made; null when there is somebody. */
  setUpLink(): Promise<string | null>;
  /** Signs this user in, once and within an hour; null where there is none. */
  signInLink(username: string): Promise<string | null>;
}

export interface StartOptions {
  readonly config: Config;
  /** Where the settings were read from, if anywhere. */
  readonly settingsFile?: string | undefined;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** What remote searches look in, in place of the provider's own directory. */
  readonly directory?: Directory | null;
  /** Starts the processes of content; by default one of this process' own. */
  readonly starter?: Starter;
  /** What of this machine content runs on; by default found when it is first needed. */
  readonly installations?: Installations;
  /** Why another account does not handle the requests, for the report of what is protected. */
  readonly whyNotSeparated?: string;
  /** Asks PAM where this process may not. */
  readonly askPam?: AskPam;
  /** Hashes and checks passwords; by default at the recommended cost. */
  readonly passwords?: Passwords;
  /** Waits for milliseconds before another attempt to sign in. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** Events: a content item changed, anything of anybody's rights, and processes are to end, at once or with their visitors. */
const CONTENT = 'content:';
const RIGHTS = 'rights';
const STOP = 'stop:';
const DRAIN = 'drain:';
/** How often expired tasks are dropped, and those of servers that are gone are ended. */
const SWEEP_MS = 60_000;
/** Microseconds since when content must have run for its next process to be prepared at a start. */
const RECENTLY = 7 * 86_400_000_000;

/**
 * Whatever fails, all that was opened before is closed again, the last first.
 * @throws when a setting, the database or the address cannot be used.
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const {
    config,
    clock = systemClock(),
    passwords = createPasswords(),
    pause = setTimeout as (ms: number) => Promise<void>,
  } = options;
  const log = options.log ?? pino({ level: config['Log.Level'] });
  const ids = systemIds();
  await using stack = new AsyncDisposableStack();

  const dataDir = resolve(config['Server.DataDir']);
  mkdirSync(dataDir, { recursive: true });
  // Accounts that content runs as may pass through to their own files, but not look around.
  chmodSync(dataDir, 0o711);
  const claim = stack.use(claimDataDirectory(dataDir, { exclusive: config['Database.URL'] === '' }));
  const storage = stack.use(
    await openStorage(config['Database.URL'] || join(dataDir, 'pressroom.sqlite'), (message) =>
      log.error(message),
    ),
  );
  const { db } = storage;
  stack.use(startAuditSinks({ storage, log }, sinksOf(config)));
  const receivers = eventReceivers(config);
  const secrets = createSecrets(
    config['Secrets.Key'] || readSecretKey(dataDir),
    previousKeys(config['Secrets.PreviousKeys']),
  );
  const provider = stack.use(
    await createProvider({ config, storage, passwords, secrets, clock, askPam: options.askPam }),
  );
  const audit = createAudit(clock, secrets);
  const events = stack.use(createSecurityEvents({ storage, audit, clock, log }));
  const visits = stack.use(createVisitRecorder(storage, clock, log));
  const blobs = await openBlobs({ config, secrets, log }, stack);

  // Closed after the processes whose ends it records.
  const jobs = stack.use(
    await createJobs({ directory: join(dataDir, 'logs'), archives: blobs.logs, storage, clock, ids, log }),
  );
  const life = stack.use(
    await startLife({
      storage,
      node: jobs.node,
      name: serverName(config),
      log,
      async onLost(tx, node) {
        await endLostJobs(tx, { node }, SESSION_GRACE);
        await removePlacesOf(tx, node);
      },
    }),
  );
  const starter = stack.use(
    options.starter ??
      (await createStarter({
        ...starterOptions(config, options.settingsFile, ids),
        isAlone: claim.isAlone,
        whyNotSeparated: options.whyNotSeparated,
        onEngine: ({ isBack, message }) => log[isBack ? 'info' : 'error'](message),
      })),
  );
  const paths = {
    contents: join(dataDir, 'content'),
    work: join(dataDir, 'work'),
    environments: join(dataDir, 'environments'),
  };
  let ownAddress = '';
  const address = () => config['Server.Address'].replace(/\/+$/, '') || ownAddress;
  const sites =
    blobs.sites &&
    createUnpackedSites({
      directory: paths.contents,
      workDirectory: paths.work,
      limit: config['Storage.CacheSize'],
      clock,
      log,
      removeTree: (path) => launcher.remove(path),
      onGone: (root) => site.drop(root),
    });
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
  /** What this server has of content that was deleted at another one. */
  const forgetFiles = async (guid: string) => {
    if (sites === null) return;
    await applications.end(guid);
    await sites.forget(guid);
    await jobs.removeLogs(guid);
  };
  const followContent = (guid: string) => {
    route.forget(guid);
    connections.recheck(guid);
    Promise.all([draftSites(db, guid), findContent(db, guid)])
      .then(([drafts, content]) =>
        content ? applications.changed(content, drafts.get(guid) ?? []) : forgetFiles(guid),
      )
      .catch((error: unknown) => log.error(error, 'content %s changed', guid));
  };
  const contentChanged = (guid: string) => {
    followContent(guid);
    storage.events.publish(CONTENT + guid);
  };
  const rightsChanged = () => {
    connections.recheck(null);
    storage.events.publish(RIGHTS);
  };
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
  const mailer = config['Mail.URL'] === '' ? null : createMailer(config['Mail.URL'], config['Mail.From']);
  const tellOwner = createFailureTeller({ storage, clock, mailer, log, address });
  let pictures: Pictures | null = null;
  let looks: Looks | null = null;
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
      contentChanged,
      address,
      life: config['Cluster.Listen'] === '' ? null : life,
      async onCrash(crash) {
        await countEnd(crash, 'crashes');
        if (receivers.length > 0) await recordCrash(crash);
        tellOwner({ ...crash, reason: crash.ending.message });
      },
      async onFailedStart(failed) {
        await countEnd(failed, 'failed_starts');
        tellOwner(failed);
      },
    },
    stack,
  );
  const { launcher, applications } = runtime;
  const followOthers = async () => {
    const drafts = await draftSites(db);
    applications.follow(await applicationContents(db), drafts);
  };
  const followAll = () =>
    void followOthers().catch((error: unknown) => log.error(error, 'following other servers'));
  const drain = createDrain({
    storage,
    server: serverName(config),
    log,
    applications,
    onResume: followAll,
  });
  await drain.follow();
  stack.use(startEvents({ storage, log, contentUrl: runtime.contentUrl }, receivers));
  const tasks = stack.use(
    createTaskService({
      storage,
      clock,
      ids,
      log,
      retention: config['Applications.TaskRetention'],
      life,
      atOnce: config['Applications.MaxConcurrentDeploys'],
      async onChange(tx, task) {
        metrics?.task(task);
        traces?.task(task);
        if (receivers.length > 0) await recordTaskEvent(tx, task);
      },
    }),
  );
  const deploys = createDeployService({
    config,
    audit,
    directory: paths.contents,
    storage,
    db,
    blobs,
    sites,
    openDeployed,
    tasks,
    applications,
    pipeline: createPipeline({
      ...runtime,
      config,
      limits: archiveLimits(config),
      workDirectory: paths.work,
    }),
    clock,
    log,
    atOnce: config['Applications.MaxConcurrentDeploys'],
    draftRetention: config['Applications.DraftRetention'],
    contentChanged,
    wentLive(guid) {
      pictures?.request(guid);
      lookForLinks(services, guid, address()).catch((error: unknown) => log.warn(error, 'links of %s', guid));
    },
    deployed(guid) {
      renderVariantsAgain(services, guid).catch((error: unknown) => log.error(error, 'variants of %s', guid));
    },
    removeTree: launcher.remove,
  });
  const oldVersions = createOldVersions({
    directory: paths.contents,
    workDirectory: paths.work,
    blobs,
    sites,
    limits: archiveLimits(config),
    removeTree: launcher.remove,
  });
  const connections = stack.use(createConnections());
  const authenticator = createAuthenticator({
    storage,
    events,
    clock,
    idleTimeout: config['Authentication.SessionIdleTimeout'],
    signIn: provider.signIn,
    onForget: rightsChanged,
  });
  const disk = stack.use(
    startDiskWatch({ directory: dataDir, reserve: config['Applications.DiskReserve'], log }),
  );
  await disk.look();
  const metricsAddress = config['Metrics.PrometheusListen'];
  const metrics = metricsAddress === '' ? null : createMetrics({ storage, disk, applications });
  const traces = await startTraces(process.env, stack);
  const origins: OriginFinding[] = [];
  const cluster = openCluster({ config, storage, secrets, node: jobs.node, clock, log }, stack);
  const lifecycle = { isDraining: false };
  const processes = createProcesses({
    jobs,
    applications,
    cluster,
    publishStop: (guid) => storage.events.publish(STOP + guid),
    publishDrain: (guid) => storage.events.publish(DRAIN + guid),
  });
  const guesses = createGuesses({
    storage,
    secrets,
    clock,
    node: jobs.node,
    forgottenAfter: FORGOTTEN_AFTER,
  });
  const services: Services = {
    config,
    storage,
    clock,
    ids,
    log,
    audit,
    events,
    authenticator,
    passwords,
    secrets,
    provider,
    throttle: createThrottle(clock, pause, guesses),
    ciTokens: createCiTokens(config, clock),
    directory: options.directory ?? provider.directory,
    mailer,
    blobs,
    tasks,
    deploys,
    oldVersions,
    git: createGit({
      config,
      launcher,
      secrets,
      ids,
      workDirectory: paths.work,
      noteOffered: noteOffered(storage),
    }),
    looks: { lookSoon: () => looks?.lookSoon() },
    jobs,
    environments: paths.environments,
    installations: runtime.installations,
    isolation: launcher.isolation,
    disk,
    origins,
    contentChanged,
    processes,
    applications,
    lifecycle,
    takePicture: async (content, page) => {
      if (pictures === null) throw noPictures();
      return pictures.take(content.guid, page, await keys.keyFor(content));
    },
    backup: createBackupNow(config),
    drain,
    examine: createExamination(
      { config },
      checksOfRunning({ ...runtime, isolation: launcher.isolation, config, storage, askPam: options.askPam }),
    ),
    async restart(content, print) {
      await processes.stopAll(content.guid);
      await restartApplication(applications, content, print);
    },
    secretsOf: (content) => runtime.environment.secretsOf(content),
    rightsChanged,
  };
  await cleanUp(services, { claim, launcher, ...paths });
  claim.share();

  const base = createBaseUrl(config);
  const places = createContentPlaces(config, base);
  const sockets = createShinySockets({
    storage,
    connections,
    clock,
    ids,
    log,
    grace: timerMs(config['Client.ReconnectTimeout']),
    node: cluster && cluster.node,
  });
  const hot = createHotPages({ storage, base, site });
  const route: ContentRoute = createContentRoute({
    services,
    site,
    hot,
    applications,
    proxy: createApplicationProxy(connections, sockets, log, cluster !== null),
    visits,
    base,
    places,
    elsewhere: cluster && createElsewhere(cluster, db, sockets),
    counter,
  });
  const http = createHttpServer({
    ...services,
    base,
    places,
    content: route,
    hot,
    origin: createContentOrigin(services, base, places, route),
    requests: tellAll([metrics, traces].flatMap((one) => one?.requests ?? [])),
    mount: (app, answers) => mountRoutes(app, services, { base, places, answers }),
  });
  const listening = stack.use(await listen(http, services, places));
  ownAddress = listening.url;
  if (config['Applications.Pictures'])
    pictures = createPictures({
      launcher,
      workDirectory: paths.work,
      address: () => ownAddress,
      keyFor: async (guid) => {
        const content = await findContent(db, guid);
        // Applications are not started for a picture.
        return content && content.launch === null && content.locked === 0 ? await keys.keyFor(content) : null;
      },
      save: (guid, png) => saveTakenThumbnail(services, guid, png),
      log,
    });
  if (pictures) stack.use(pictures);
  if (metrics) stack.use(await listenForMetrics(metricsAddress, metrics.registry, log));
  origins.push(...listening.findings);
  if (cluster) {
    const calls = { ...sessionCalls(sockets), ...processCalls({ jobs, applications }) };
    stack.use(await joinCluster(cluster, { config, secrets, log }, { calls, ...takeVisits(route, log) }));
  }
  stack.use(sockets);

  await followOthers();
  stack.use(
    storage.events.listen((event) => {
      if (event?.startsWith(CONTENT)) followContent(event.slice(CONTENT.length));
      if (event?.startsWith(DRAIN)) applications.drain(event.slice(DRAIN.length));
      if (event === DRAINED || event === null)
        drain.follow().catch((error: unknown) => log.error(error, 'drained servers'));
      if (event?.startsWith(STOP)) void applications.stop(event.slice(STOP.length));
      if (event === RIGHTS || event === null) connections.recheck(null);
      if (event === null) followAll();
    }),
  );
  const missing = claim.isAlone ? await deployMissing(services) : [];
  if (missing.length > 0) log.warn({ contents: missing }, 'redeploying content with missing files');
  tasks.takeOver(
    async (task) => (await resumeTask(services, task)) || resumeRepositoryDeploy(services, task),
  );
  stack.use(createSchedules({ ...services, log }));
  looks = stack.use(createLooks({ ...services, log }));
  stack.use(
    watchCanaries({
      ...services,
      counter,
      checkHealth: createHealthCheck({ db, applications, counter, log, hasOthers: cluster !== null }),
      deploy: (id, bundle) => void deploys.run(id, bundle, 'deploy'),
    }),
  );
  stack.use(
    startHousekeeping({
      ...services,
      environments: paths.environments,
      workDirectories: [paths.work, workIn(paths.environments)],
      removeTree: launcher.remove,
      removeEndedDrafts: () => removeEndedDrafts(services),
      tellOfUnused: () => tellOfUnused(services, address()),
      retention: config['Applications.EnvironmentRetention'],
      usageRetention: config['Usage.Retention'],
      auditRetention: config['Audit.Retention'],
      auditReceivers: sinksOf(config).map(({ name }) => name),
    }),
  );
  if (mailer)
    stack.use(startMails({ config, storage, clock, mailer, deploys, contentUrl: runtime.contentUrl, log }));
  const starting = new AbortController();
  stack.defer(() => starting.abort());
  prepareRecent({
    recent: () => recentlyRun(db, clock.now() - RECENTLY, config['Applications.PreparedProcesses']),
    async prepare(guid) {
      const content = await findContent(db, guid);
      if (content) await applications.prepare(content);
    },
    signal: starting.signal,
  }).catch((error: unknown) => log.warn(error, 'preparing processes'));
  const link = () => setUpLink(services, address());
  stack.use(startSetUpReminder({ link, log }));
  const sweeping = setInterval(() => {
    tasks.sweep().catch((error: unknown) => log.error(error, 'sweeping tasks'));
    endPermissions(services).catch((error: unknown) => log.error(error, 'ending permissions'));
    endRequests(services, address()).catch((error: unknown) => log.error(error, 'ending requests'));
    endVariants(services).catch((error: unknown) => log.error(error, 'ending renderings with own values'));
    tellStuckReleases(services).catch((error: unknown) => log.error(error, 'looking at releases'));
    guesses?.sweep().catch((error: unknown) => log.error(error, 'forgetting failed attempts'));
    if (storage.isShared) followAll();
  }, SWEEP_MS).unref();
  stack.defer(() => clearInterval(sweeping));
  const opened = stack.move();
  return {
    url: ownAddress,
    services,
    drain: () => (lifecycle.isDraining = true),
    setUpLink: link,
    signInLink: (username) => signInLink(services, username, address()),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
