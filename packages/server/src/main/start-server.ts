// Puts the parts of a server together, sweeps what a crash left behind, listens, and takes it all down again.
import { chmodSync, mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import { createAudit } from '../audit/audit.ts';
import { createSecurityEvents } from '../audit/security-events.ts';
import { sinksOf, startAuditSinks } from '../audit/sinks.ts';
import { archiveLimits } from '../bundles/commands.ts';
import { allBundleIds } from '../bundles/store.ts';
import { createContentKeys } from '../content/content-keys.ts';
import { applicationContents, findContent, servedSites } from '../content/store.ts';
import { deployMissing } from '../deploys/deploy-missing.ts';
import { createDeployService } from '../deploys/deploy-service.ts';
import { createPipeline } from '../deploys/pipeline.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { createHttpServer } from '../http/http-server.ts';
import type { Directory } from '../people/directory.ts';
import { createDirectoryBlobStore } from '../platform/blobs/directory-blob-store.ts';
import { claimDataDirectory, type Claim } from '../platform/claim-data-directory.ts';
import { systemClock, systemIds, timerMs, type Clock } from '../platform/clock.ts';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { createMailer } from '../platform/mailer.ts';
import { renewSealed } from '../platform/secrets/renew-sealed.ts';
import { previousKeys, readSecretKey } from '../platform/secrets/secret-key.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { createRuntime } from '../runtime/create-runtime.ts';
import { sweepRestores, workIn } from '../runtime/restore/index.ts';
import { createStarter, type Starter } from '../runtime/sandbox/starter.ts';
import type { AskPam } from '../runtime/sandbox/supervisor/supervisor.ts';
import { createSchedules } from '../schedules/schedules.ts';
import { createAuthenticator } from '../sign-in/authenticator.ts';
import { createPasswords } from '../sign-in/passwords/passwords.ts';
import { createProvider } from '../sign-in/providers/index.ts';
import type { ProviderParts, SignInProvider } from '../sign-in/providers/provider.ts';
import { setUpLink } from '../sign-in/set-up.ts';
import { createThrottle } from '../sign-in/throttle.ts';
import { createTaskService } from '../tasks/task-service.ts';
import { createVisitRecorder } from '../usage/visit-recorder.ts';
import { createContentOrigin } from '../visitors/content-origin.ts';
import { createContentPlaces } from '../visitors/content-places.ts';
import { createContentRoute } from '../visitors/content-route.ts';
import { listenForContent, type ContentListener } from '../visitors/listen-for-content.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import { createApplicationProxy } from '../visitors/proxy/application-proxy.ts';
import { createConnections } from '../visitors/proxy/connections.ts';
import { createShinySockets } from '../visitors/proxy/shiny-sockets.ts';
import { createContentSite } from '../visitors/site/index.ts';
import type { Config } from './config/settings.ts';
import { startHousekeeping } from './housekeeping.ts';
import { mountRoutes } from './mount-routes.ts';
import type { Services } from './services.ts';
import { startSetUpReminder } from './set-up-reminder.ts';
import { starterOptions } from './starter-options.ts';

export interface RunningServer extends AsyncDisposable {
  /** The address it listens on, without a slash at the end. */
  readonly url: string;
  readonly services: Services;
  /** Where the first administrator is made; null when there is somebody. */
  setUpLink(): Promise<string | null>;
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
  /** Why another account does not handle the requests, for the report of what is protected. */
  readonly whyNotSeparated?: string;
  /** Asks PAM where this process may not. */
  readonly askPam?: AskPam;
  /** Waits for milliseconds before another attempt to sign in. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** How often tasks past their time are dropped, and those of servers that are gone are ended. */
const SWEEP_MS = 60_000;

/** @throws when a setting, the database or the address cannot be used. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { config, clock = systemClock(), pause = setTimeout as (ms: number) => Promise<void> } = options;
  const log = options.log ?? pino({ level: config['Log.Level'] });
  const sinks = sinksOf(config);
  const dataDir = resolve(config['Server.DataDir']);
  mkdirSync(dataDir, { recursive: true });
  // Accounts that content runs as may pass through to their own files, but not look around.
  chmodSync(dataDir, 0o711);
  const ids = systemIds();
  const claim = claimDataDirectory(dataDir, { exclusive: config['Database.URL'] === '' });
  const storage = await openStorageOrLetGo(
    config['Database.URL'] || join(dataDir, 'pressroom.sqlite'),
    claim,
  );
  const { db } = storage;
  const secrets = createSecrets(
    config['Secrets.Key'] || readSecretKey(dataDir),
    previousKeys(config['Secrets.PreviousKeys']),
  );
  const base = createBaseUrl(config);
  const places = createContentPlaces(config, base);
  const blobs = createDirectoryBlobStore(join(dataDir, 'bundles'));
  const retention = config['Applications.TaskRetention'];
  const tasks = createTaskService({ storage, clock, ids, log, retention });
  const connections = createConnections();
  const passwords = createPasswords();
  const provider = await createProviderOrClose(
    { config, storage, passwords, secrets, clock, askPam: options.askPam },
    claim,
  );
  const audit = createAudit(clock, secrets);
  const events = createSecurityEvents({ storage, audit, clock, log });
  const authenticator = createAuthenticator({
    storage,
    events,
    clock,
    idleTimeout: config['Authentication.SessionIdleTimeout'],
    signIn: provider.signIn,
    onForget: () => connections.recheck(null),
  });
  let ownAddress = '';
  const contents = join(dataDir, 'content');
  const workDirectory = join(dataDir, 'work');
  const environments = join(dataDir, 'environments');
  const contentChanged = (guid: string) => {
    route.forget(guid);
    connections.recheck(guid);
    findContent(db, guid)
      .then((content) => content && applications.changed(content))
      .catch((error: unknown) => log.error(error, 'content %s changed', guid));
  };
  const starter =
    options.starter ??
    (await createStarter({
      ...starterOptions(config, options.settingsFile, ids),
      isAlone: claim.isAlone,
      whyNotSeparated: options.whyNotSeparated,
    }));
  const runtime = await createRuntime({
    config,
    starter,
    dataDir,
    environments,
    storage,
    secrets,
    keys: createContentKeys(storage, secrets, clock),
    clock,
    ids,
    log,
    siteDirectory: (guid, site) => join(contents, guid, site),
    contentChanged,
    address: () => config['Server.Address'].replace(/\/+$/, '') || ownAddress,
  });
  const { launcher, applications, jobs } = runtime;
  if (claim.isAlone) {
    await launcher
      .remove(workDirectory)
      .catch((error: unknown) => log.warn(error, 'removing %s', workDirectory));
    await sweepRestores(environments, launcher);
  }
  const deploys = createDeployService({
    directory: contents,
    db,
    blobs,
    tasks,
    applications,
    pipeline: createPipeline({
      ...runtime,
      config,
      limits: archiveLimits(config),
      workDirectory,
    }),
    clock,
    log,
    atOnce: config['Applications.MaxConcurrentDeploys'],
    contentChanged,
    removeTree: launcher.remove,
  });
  const origins: OriginFinding[] = [];
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
    throttle: createThrottle(clock, pause),
    directory: options.directory ?? provider.directory,
    mailer: config['Mail.URL'] === '' ? null : createMailer(config['Mail.URL'], config['Mail.From']),
    blobs,
    tasks,
    deploys,
    jobs,
    installations: runtime.installations,
    isolation: launcher.isolation,
    origins,
    contentChanged,
    rightsChanged: () => connections.recheck(null),
  };
  await sweep(services, claim.isAlone);
  const { renewed, unreadable } = await renewSealed(storage, secrets);
  if (renewed > 0) log.info('%d secrets were sealed again with the key of now', renewed);
  if (unreadable > 0)
    log.error('%d secrets open with no key: set the one before in Secrets.PreviousKeys', unreadable);
  claim.share();
  const sweeping = setInterval(() => {
    tasks.sweep().catch((error: unknown) => log.error(error, 'sweeping tasks'));
    if (storage.isShared)
      followOthers().catch((error: unknown) => log.error(error, 'looking at what other servers changed'));
  }, SWEEP_MS).unref();
  const schedules = createSchedules({ ...services, log });
  const visits = createVisitRecorder(storage, clock, log);
  const sockets = createShinySockets({
    storage,
    connections,
    clock,
    ids,
    log,
    grace: timerMs(config['Client.ReconnectTimeout']),
  });
  const proxy = createApplicationProxy(connections, sockets, log);
  const site = createContentSite({});
  const route = createContentRoute({ services, site, applications, proxy, visits, base, places });
  const http = createHttpServer({
    ...services,
    base,
    places,
    content: route,
    origin: createContentOrigin(services, base, places, route),
    mount: (app, answers) => mountRoutes(app, services, { base, places, answers }),
  });
  const { app } = http;
  const [host, port] = splitAddress(config['HTTP.Listen']);
  let contentListener: ContentListener;
  try {
    await app.listen({ host, port });
    contentListener = await listenForContent(services, http, places);
    origins.push(...contentListener.findings);
  } catch (error) {
    if (app.server.listening) await app.close();
    await starter[Symbol.asyncDispose]();
    await events[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await storage[Symbol.asyncDispose]();
    claim[Symbol.dispose]();
    throw error;
  }
  const address = app.server.address() as AddressInfo;
  ownAddress = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  const followOthers = async () => applications.follow(await applicationContents(db));
  await followOthers();
  const missing = claim.isAlone ? await deployMissing(services) : [];
  if (missing.length > 0) log.warn({ contents: missing }, 'deploying again what has lost its files');
  const auditSinks = startAuditSinks({ storage, log }, sinks);
  const housekeeping = startHousekeeping({
    ...services,
    environments,
    workDirectories: [workDirectory, workIn(environments)],
    removeTree: launcher.remove,
    retention: config['Applications.EnvironmentRetention'],
  });
  const link = () => setUpLink(services, config['Server.Address'].replace(/\/+$/, '') || ownAddress);
  const reminder = startSetUpReminder({ link, log });
  return {
    url: ownAddress,
    services,
    setUpLink: link,
    async [Symbol.asyncDispose]() {
      // Requests and sockets first, then tasks, then the processes of content, then what all of them write to.
      clearInterval(sweeping);
      reminder[Symbol.dispose]();
      await housekeeping[Symbol.asyncDispose]();
      schedules[Symbol.dispose]();
      await sockets[Symbol.asyncDispose]();
      app.server.closeIdleConnections();
      const cut = globalThis.setTimeout(() => {
        app.server.closeAllConnections();
        contentListener.closeAllConnections();
      }, config['HTTP.ShutdownTimeout'] * 1000);
      await Promise.all([app.close(), contentListener.close()]);
      clearTimeout(cut);
      connections[Symbol.dispose]();
      await tasks[Symbol.asyncDispose]();
      await applications[Symbol.asyncDispose]();
      await starter[Symbol.asyncDispose]();
      await jobs[Symbol.asyncDispose]();
      await visits[Symbol.asyncDispose]();
      await events[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await auditSinks[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
      claim[Symbol.dispose]();
    },
  };
}

async function openStorageOrLetGo(where: string, claim: Claim): Promise<Storage> {
  try {
    return await openStorage(where);
  } catch (error) {
    claim[Symbol.dispose]();
    throw error;
  }
}

/** @throws ConfigError after closing what was opened before. */
async function createProviderOrClose(parts: ProviderParts, claim: Claim): Promise<SignInProvider> {
  try {
    return await createProvider(parts);
  } catch (error) {
    await parts.storage[Symbol.asyncDispose]();
    claim[Symbol.dispose]();
    throw error;
  }
}

/**
 * What a crash left behind: unfinished tasks, archives and directories without a row. Another server's uploads and
 * deploys under way look the same, so files are left alone while there is one.
 */
async function sweep({ storage, tasks, blobs, deploys, log }: Services, isAlone: boolean): Promise<void> {
  const interrupted = await tasks.sweep();
  if (!isAlone) return;
  const known = new Set((await allBundleIds(storage.db)).map((row) => row.id));
  const archives = await blobs.sweep(known);
  const sites = await deploys.sweep(await servedSites(storage.db));
  if (interrupted + archives.length + sites.length > 0) {
    log.warn({ interrupted, archives, sites }, 'cleaned up after a server that did not stop in order');
  }
}

function splitAddress(listen: string): [string, number] {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(listen)!;
  return [match[1] ?? (match[2] || '0.0.0.0'), Number(match[3])];
}
