// Assembles the server, cleans up after a crash, listens, and closes everything again.
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sinksOf } from '../audit/sinks.ts';
import { newestAudit } from '../audit/store.ts';
import { archiveLimits } from '../bundles/commands.ts';
import { scanForLinks } from '../content/links/scan-for-links.ts';
import { createDeployService } from '../deploys/deploy-service.ts';
import { createPipeline } from '../deploys/pipeline.ts';
import { restartApplication } from '../deploys/restart-application.ts';
import { createOldVersions } from '../deploys/sites/old-versions.ts';
import { eventReceivers, startEvents } from '../events/send.ts';
import { newestWaiting } from '../events/store.ts';
import { recordTaskEvent } from '../events/task-event.ts';
import { createGit } from '../git/git.ts';
import { noteOffered } from '../git/host-keys.ts';
import type { Polling } from '../git/poll.ts';
import { createProcesses } from '../jobs/processes.ts';
import { createMetrics } from '../monitoring/metrics.ts';
import { startTraces } from '../monitoring/start-traces.ts';
import type { Directory } from '../people/directory.ts';
import { systemClock, systemIds, type Clock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { createMailer } from '../platform/mailer.ts';
import { noPictures, type Pictures } from '../runtime/pictures/pictures.ts';
import { removePlacesOf } from '../runtime/pool/place-store.ts';
import { createRemovals } from '../runtime/sandbox/removals.ts';
import type { AskPam } from '../runtime/sandbox/supervisor/supervisor.ts';
import { notifyOfFailedRender } from '../schedules/notify-of-failed-render.ts';
import { createAuthenticator } from '../sign-in/authenticator.ts';
import { createPasswords, type Passwords } from '../sign-in/passwords/passwords.ts';
import { createProvider } from '../sign-in/providers/index.ts';
import { setUpLink } from '../sign-in/set-up.ts';
import { createGuesses } from '../sign-in/shared-guesses.ts';
import { signInLink } from '../sign-in/sign-in-link.ts';
import { createThrottle, FORGOTTEN_AFTER } from '../sign-in/throttle.ts';
import { createCiTokens } from '../sign-in/trusted-publishers/verify-token.ts';
import { createTaskService } from '../tasks/task-service.ts';
import { renderVariantsAgain } from '../variants/render.ts';
import type { ContentRoute } from '../visitors/content-route.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import { createBackupNow } from './backup/backup-now.ts';
import { cleanUp } from './clean-up.ts';
import type { Config } from './config/settings.ts';
import { checksOfRunning, createExamination } from './doctor/examine-running.ts';
import { handleRequests } from './handle-requests.ts';
import { openCluster } from './join-cluster.ts';
import { openState } from './open-state.ts';
import { type ContentOptions, runContent } from './run-content.ts';
import type { Services } from './services.ts';
import { workInBackground } from './work-in-background.ts';

export interface RunningServer extends AsyncDisposable {
  /** The address it listens on, without a trailing slash. */
  readonly url: string;
  readonly services: Services;
  /** Tells proxies and other servers to send visitors elsewhere; requests that arrive are still answered. */
  drain(): void;
  /** Where the first administrator is created; null once there is an account, or the server stops. */
  setUpLink(): Promise<string | null>;
  /** Signs this user in, once and within an hour; null for an unknown user. */
  signInLink(username: string): Promise<string | null>;
}

export interface StartOptions extends ContentOptions {
  readonly config: Config;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Used for remote searches instead of the provider's own directory. */
  readonly directory?: Directory | null;
  /** Asks PAM if this process may not. */
  readonly askPam?: AskPam;
  /** Hashes and checks passwords; by default at the recommended cost. */
  readonly passwords?: Passwords;
  /** Waits for milliseconds before another sign-in attempt. */
  readonly pause?: (ms: number) => Promise<void>;
}

/**
 * On failure, everything opened before is closed again in reverse order.
 * @throws if a setting, the database or the address cannot be used.
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const {
    config,
    clock = systemClock(),
    passwords = createPasswords(),
    pause = setTimeout as (ms: number) => Promise<void>,
  } = options;
  const log = options.log ?? createLog(config['Log.Level']);
  const ids = systemIds();
  await using stack = new AsyncDisposableStack();

  const state = await openState({ config, clock, ids, log }, stack);
  const { paths, claim, storage, secrets, audit, events, blobs, jobs, heartbeat, disk } = state;
  const { db } = storage;
  const receivers = eventReceivers(config);
  const provider = stack.use(
    await createProvider({ config, storage, passwords, secrets, clock, askPam: options.askPam }),
  );
  let ownAddress = '';
  let route: ContentRoute;
  const address = () => config['Server.Address'] || ownAddress;
  const mailer = config['Mail.URL'] === '' ? null : createMailer(config['Mail.URL'], config['Mail.From']);
  let pictures: Pictures | null = null;
  let polling: Polling | null = null;
  const running = await runContent(
    {
      ...state,
      config,
      options,
      clock,
      ids,
      log,
      mailer,
      recordsEvents: receivers.length > 0,
      crashed: () => metrics?.crash(),
      address,
      route: () => route,
    },
    stack,
  );
  const { site, sites, sitesOfOld, openDeployed, connections, changes, keys, counter, runtime, drain } =
    running;
  const { launcher, applications } = runtime;
  const { contentChanged, rightsChanged } = changes;
  stack.use(startEvents({ storage, log, heartbeat, contentUrl: runtime.contentUrl }, receivers));
  const tasks = stack.use(
    createTaskService({
      storage,
      clock,
      ids,
      log,
      retention: config['Applications.TaskRetention'],
      heartbeat,
      atOnce: config['Applications.MaxConcurrentDeploys'],
      async onChange(tx, task) {
        metrics?.task(task);
        traces?.task(task);
        if (receivers.length > 0) await recordTaskEvent(tx, task);
      },
    }),
  );
  const removals = stack.use(createRemovals(launcher, log));
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
      scanForLinks(services, guid, address()).catch((error: unknown) => log.warn(error, 'links of %s', guid));
    },
    deployed(guid) {
      renderVariantsAgain(services, guid).catch((error: unknown) => log.error(error, 'variants of %s', guid));
    },
    ended(task) {
      notifyOfFailedRender({ storage, mailer, log, address }, task).catch((error: unknown) =>
        log.error(error, 'telling of task %s', task),
      );
    },
    removeTree: launcher.remove,
    removeLater: removals.add,
  });
  const oldVersions = createOldVersions({
    directory: paths.contents,
    blobs,
    sites: sitesOfOld,
    limits: archiveLimits(config),
    removeTree: launcher.remove,
  });
  const authenticator = createAuthenticator({
    storage,
    events,
    clock,
    idleTimeout: config['Authentication.SessionIdleTimeout'],
    signIn: provider.signIn,
    visitorKeys: config['Applications.VisitorKeys'],
    onForget: rightsChanged,
  });
  const { containers } = launcher;
  const metrics =
    config['Metrics.PrometheusListen'] === ''
      ? null
      : createMetrics({
          storage,
          disk,
          applications,
          containers,
          receivers: [
            ...sinksOf(config).map(({ name, label }) => ({ name, label, newest: newestAudit })),
            ...receivers.map(({ name, label }) => ({ name, label, newest: newestWaiting })),
          ],
        });
  const traces = await startTraces(process.env, stack);
  const origins: OriginFinding[] = [];
  const cluster = openCluster(
    {
      config,
      storage,
      secrets,
      node: jobs.node,
      clock,
      log,
      // Otherwise its processes would count until it is lost, and visitors be turned away. If it runs after all, it
      // takes its places again with its next heartbeat.
      onRefused: (node) => removePlacesOf(storage.db, node),
    },
    stack,
  );
  const lifecycle = { isDraining: false };
  const processes = createProcesses({
    jobs,
    applications,
    cluster,
    ...changes,
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
    polling: { pollSoon: () => polling?.pollSoon() },
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
      checksOfRunning({
        ...runtime,
        isolation: launcher.isolation,
        config,
        storage,
        blobs,
        askPam: options.askPam,
      }),
    ),
    async restart(content, print, signal) {
      const stopElsewhere = () => processes.stopElsewhere(content.guid, signal);
      await restartApplication(applications, content, stopElsewhere, print, signal);
    },
    secretsOf: (content) => runtime.environment.secretsOf(content),
    rightsChanged,
  };
  await cleanUp(services, { claim, launcher, ...paths });
  claim.share();

  const handling = await handleRequests(
    services,
    {
      ...state,
      site,
      applications,
      connections,
      counter,
      keys,
      launcher,
      workDirectory: paths.work,
      cluster,
      metrics,
      requests: [metrics, traces].flatMap((one) => one?.requests ?? []),
      onRoute: (made) => (route = made),
      onListening: (url) => (ownAddress = url),
    },
    stack,
  );
  pictures = handling.pictures;
  origins.push(...handling.findings);
  const link = () =>
    setUpLink(services, address()).catch((error: unknown) => {
      // The database closes during a stop.
      if (lifecycle.isDraining) return null;
      throw error;
    });
  polling = await workInBackground(
    services,
    {
      claim,
      paths,
      applications,
      launcher,
      changes,
      counter,
      guesses,
      hasOthers: cluster !== null,
      address: address(),
      contentUrl: runtime.contentUrl,
      setUpLink: link,
    },
    stack,
  );
  const opened = stack.move();
  return {
    url: ownAddress,
    services,
    drain: () => (lifecycle.isDraining = true),
    setUpLink: link,
    signInLink: (username) => signInLink(services, username, address()),
    [Symbol.asyncDispose]() {
      storage.hurry();
      return opened.disposeAsync();
    },
  };
}
