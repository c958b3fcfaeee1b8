// Assembles and opens everything that answers requests: API, dashboard and content, on the server's own ports and for
// other servers.
import type { CanaryCounter } from '../canaries/counter.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ContentKeys } from '../content/content-keys.ts';
import { findContent } from '../content/store.ts';
import { saveTakenThumbnail } from '../content/thumbnails/commands.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { createHttpServer } from '../http/http-server.ts';
import { processCalls } from '../jobs/processes.ts';
import { listenForMetrics } from '../monitoring/listen-for-metrics.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import { combineObservers, type RequestObserver } from '../monitoring/request-observer.ts';
import { timerMs } from '../platform/clock.ts';
import type { Applications } from '../runtime/applications.ts';
import { createPictures, type Pictures } from '../runtime/pictures/pictures.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import type { VisitRecorder } from '../usage/visit-recorder.ts';
import { createContentOrigin } from '../visitors/content-origin.ts';
import { createContentPlaces } from '../visitors/content-places.ts';
import { createContentRoute, type ContentRoute } from '../visitors/content-route.ts';
import { createHotPages } from '../visitors/hot-pages.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import { createOtherServers, sessionCalls } from '../visitors/other-servers.ts';
import { createApplicationProxy } from '../visitors/proxy/application-proxy.ts';
import type { Connections } from '../visitors/proxy/connections.ts';
import { createShinySockets } from '../visitors/proxy/shiny-sockets.ts';
import type { ContentSite } from '../visitors/site/index.ts';
import { takeVisits } from '../visitors/take-visits.ts';
import { joinCluster } from './join-cluster.ts';
import { listen } from './listen.ts';
import { mountRoutes } from './mount-routes.ts';
import type { Services } from './services.ts';

export interface RequestHandling {
  /** Null if this server takes none. */
  readonly pictures: Pictures | null;
  /** How well pages of content are isolated. */
  readonly findings: readonly OriginFinding[];
}

export interface HandlingParts {
  readonly site: ContentSite;
  readonly applications: Applications;
  readonly connections: Connections;
  readonly visits: VisitRecorder;
  readonly counter: CanaryCounter;
  readonly keys: ContentKeys;
  readonly launcher: Launcher;
  /** Where screenshots are taken. */
  readonly workDirectory: string;
  /** Null for a single server. */
  readonly cluster: Cluster | null;
  readonly metrics: Metrics | null;
  readonly requests: readonly RequestObserver[];
  /** Called before the first request: from then on the route follows changes. */
  readonly onRoute: (route: ContentRoute) => void;
  /** Called with the address of this server, without a trailing slash, once it is known. */
  readonly onListening: (url: string) => void;
}

/**
 * @param stack closes what is opened here.
 * @throws if an address cannot be used.
 */
export async function handleRequests(
  services: Services,
  parts: HandlingParts,
  stack: AsyncDisposableStack,
): Promise<RequestHandling> {
  const { config, storage, clock, ids, jobs, log, secrets } = services;
  const { site, applications, connections, cluster, counter, metrics } = parts;
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
  const route = createContentRoute({
    services,
    site,
    hot,
    applications,
    proxy: createApplicationProxy(connections, sockets, log),
    visits: parts.visits,
    base,
    places,
    otherServers: cluster && createOtherServers(cluster, storage.db, sockets),
    counter,
  });
  parts.onRoute(route);
  const http = createHttpServer({
    ...services,
    base,
    places,
    content: route,
    hot,
    origin: createContentOrigin(services, base, places, route),
    requests: combineObservers(parts.requests),
    mount: (app, responses) => mountRoutes(app, services, { base, places, responses }),
  });
  // Before the first visitor: the places of a killed server at the same address are free again.
  if (cluster) {
    const calls = { ...sessionCalls(sockets), ...processCalls({ jobs, applications }) };
    stack.use(await joinCluster(cluster, { config, secrets, log }, { calls, ...takeVisits(route, log) }));
  }
  const { url, findings } = stack.use(await listen(http, services, places));
  parts.onListening(url);
  const pictures = config['Applications.Pictures'] ? openPictures(services, parts, url) : null;
  if (pictures) stack.use(pictures);
  if (metrics) stack.use(await listenForMetrics(config['Metrics.PrometheusListen'], metrics.registry, log));
  // Before anything else closes: no more requests come from other servers.
  if (cluster) stack.defer(() => cluster.leave());
  stack.use(sockets);
  return { pictures, findings };
}

function openPictures(
  services: Services,
  { launcher, workDirectory, keys }: HandlingParts,
  url: string,
): Pictures | null {
  const { storage, log } = services;
  return createPictures({
    launcher,
    workDirectory,
    address: () => url,
    keyFor: async (guid) => {
      const content = await findContent(storage.db, guid);
      // Applications are not started for a screenshot.
      return content && content.launch === null && content.locked === 0 ? await keys.keyFor(content) : null;
    },
    save: (guid, png) => saveTakenThumbnail(services, guid, png),
    log,
  });
}
