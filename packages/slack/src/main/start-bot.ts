// Starts the bot: store, clients, Bolt over a socket or HTTP; /health, /metrics and the server's events on one port.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientClock, systemClock } from '@pressroom/api/client';
import { App, SocketModeReceiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { createAlerts } from '../deliver/alerts/alerts.ts';
import { createAnnouncer } from '../deliver/deploys/announcer.ts';
import { createNoticeReaders } from '../deliver/deploys/notice-readers.ts';
import { createWatcher, type Watcher } from '../deliver/sources/watcher.ts';
import { CLOSED, notingClosed } from '../deliver/subscriptions/closed-channels.ts';
import { endSubscription, lostAccess } from '../deliver/subscriptions/end-subscription.ts';
import { createBusy } from '../deliver/transport/busy.ts';
import { clientOptions, createSlackPort } from '../deliver/transport/slack-port.ts';
import { createWorkQueue } from '../deliver/transport/work-queue.ts';
import { createBrowserLinks } from '../link/browser-links.ts';
import { createContentClients } from '../link/content-clients.ts';
import type { Services } from '../services.ts';
import { createKeyring } from '../store/keyring.ts';
import { openStore } from '../store/store.ts';
import { createLanguages } from '../texts/languages.ts';
import { boltLogger } from './bolt-logger.ts';
import type { BotConfig } from './config.ts';
import { createReceiver } from './create-receiver.ts';
import { deployEnded } from './deploy-ended.ts';
import { createAuthorizer } from './install/authorize.ts';
import { uninstall } from './install/uninstall.ts';
import { listenToActions } from './listeners/actions.ts';
import { listenToCommand } from './listeners/command.ts';
import type { ListenerContext } from './listeners/context.ts';
import { listenToEvents } from './listeners/events.ts';
import { listenToViews } from './listeners/views.ts';
import { createMetrics } from './metrics.ts';
import { createRequestListener } from './request-listener.ts';
import { keepSocketOpen } from './socket.ts';

export interface RunningBot extends AsyncDisposable {
  /** Address for HTTP and for /health, /metrics and events. */
  readonly url: string;
  readonly services: Services;
  readonly watcher: Watcher;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}

export interface BotOptions {
  readonly config: BotConfig;
  readonly log: Logger;
  readonly clock?: ClientClock;
  /** Maximum queued commands and clicks, before people are told to try again. */
  readonly backlog?: number;
}

/** Commands and clicks processed concurrently. */
const AT_ONCE = 12;
/** Maximum queued commands and clicks: about ten seconds of work, after which nobody waits for the response. */
const BACKLOG = 1000;
const SWEEP = 600_000;

export async function startBot({
  config,
  log,
  clock = systemClock,
  backlog = BACKLOG,
}: BotOptions): Promise<RunningBot> {
  const keyring = createKeyring(config.keys);
  const now = () => clock.now();
  await using undo = new AsyncDisposableStack();
  const store = undo.use(await openStore(config.store, keyring, clock === systemClock ? undefined : now));
  const sealed = await store.rotate();
  if (sealed > 0) log.info('encrypted %d secrets with the newest key', sealed);

  const options = clientOptions(config.slackApiUrl);
  const authorizer = createAuthorizer(config, store, options, now);
  const slack = notingClosed(createSlackPort(authorizer.tokenOf, options), store);
  const languages = createLanguages({ slack, store, usual: config.language, now });
  const { server, serviceKey, guestKey } = config;
  const clients = undo.use(createContentClients({ server, serviceKey, guestKey, store }));
  const queue = createWorkQueue(AT_ONCE, log, backlog);
  const metrics = createMetrics(() => ({ deploys: announcer.live, waiting: queue.waiting }));
  const announcer = undo.use(
    createAnnouncer({
      store,
      slack,
      readerOf: createNoticeReaders(clients),
      textsOf: ({ team, channel, slack_user }) => languages.ofChannel(team, channel, slack_user),
      auditUrl: config.auditUrl,
      clock,
      log,
      budget: config.budget,
      onEdit: (result) => metrics.edits.inc({ result }),
      onEnd(notice, deploy) {
        metrics.deploys.inc({ state: deploy.state });
        deployEnded({ store, slack, languages, alerts, log }, notice, deploy);
      },
      async onLost({ team, channel, content, reader }) {
        const here = await store.subscriptions({ team, channel, content });
        for (const subscription of here.filter(({ slack_user }) => slack_user === reader))
          await endSubscription(
            { store, alerts, languages, clients },
            subscription,
            lostAccess(subscription.slack_name),
          );
      },
    }),
  );
  const alerts = undo.use(createAlerts({ store, slack, clients, languages, clock, log }));
  const { command, unlinked } = config;
  const services: Services = {
    store,
    slack,
    clients,
    languages,
    announcer,
    alerts,
    log,
    now,
    command,
    unlinked,
  };

  const logger = boltLogger(log);
  const receiver = createReceiver(config.receive, authorizer, options, logger);
  const app = new App({
    receiver,
    logger,
    clientOptions: options,
    // With an installer in the receiver, Bolt authorizes through that and refuses another way.
    ...(receiver.installer === undefined && { authorize: authorizer.authorize }),
    deferInitialization: true,
  });
  const links = undo.use(createBrowserLinks(services, queue, clock));
  const answerBusy = createBusy({ slack, languages, log });
  const take: ListenerContext['take'] = (invoker, responseUrl, work) =>
    queue.isFull(invoker) ? answerBusy(invoker, responseUrl) : queue.add(work, invoker);
  const context: ListenerContext = {
    services,
    queue,
    take,
    metrics,
    links,
    uninstall: (removed) => uninstall(services, removed, authorizer),
  };
  listenToCommand(app, context);
  listenToActions(app, context);
  listenToViews(app, context);
  listenToEvents(app, context);
  app.error(async (error) => log.warn({ err: error }, 'Bolt'));
  await app.init();

  if (config.channel !== null && (await store.closedChannels.isConfirmed(config.channel)))
    log.warn({ channel: config.channel }, CLOSED);
  const channel = async () =>
    config.channel === null ? null : { team: await authorizer.onlyTeam(), id: config.channel };
  const socket = receiver instanceof SocketModeReceiver ? keepSocketOpen(receiver.client, clock, log) : null;
  undo.defer(() => socket?.stop());
  const http = createServer(
    createRequestListener({ config, services, channel, receiver, metrics, queue, socket }),
  );
  http.listen(config.listen.port, config.listen.host);
  await once(http, 'listening');
  undo.defer(async () => {
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
  });
  const watcher = undo.use(
    createWatcher({
      services,
      clock,
      every: config.watchEvery,
      scans: config.eventsSecrets.length === 0,
      channel,
    }),
  );
  const sweeping = setInterval(
    () => void store.sweep().catch((error: unknown) => log.warn(error, 'sweep')),
    SWEEP,
  );
  undo.defer(() => clearInterval(sweeping));
  const resumed = await announcer.resume();
  if (resumed > 0) log.info('continuing %d deploys', resumed);
  alerts.look();

  const { port } = http.address() as AddressInfo;
  const resources = undo.move();
  return {
    url: `http://${config.listen.host}:${port}`,
    services,
    watcher,
    idle: async () => {
      await queue.idle();
      await announcer.idle();
      await alerts.idle();
    },
    async [Symbol.asyncDispose]() {
      await Promise.race([queue.idle(), clock.sleep(5000)]);
      await resources[Symbol.asyncDispose]();
    },
  };
}
