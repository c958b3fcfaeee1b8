// Deployed content under /content/{guid}/ and vanity paths: access control and serving.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, errors } from '@pressroom/api/contract';
import type { CanaryCounter } from '../canaries/counter.ts';
import { requireMoreThanReading } from '../content/content-key-rights.ts';
import { dashboardUrl } from '../content/present.ts';
import type { ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { OldVersions } from '../deploys/sites/old-versions.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { sendPage } from '../http/pages.ts';
import { hasKey, isNavigation } from '../http/request-forgery.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import type { Lifecycle } from '../monitoring/health-route.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Applications } from '../runtime/applications.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import type { VisitRecorder } from '../usage/visit-recorder.ts';
import { createApplicationVisits } from './application-visits.ts';
import { createCanaryVisits } from './canary-visits.ts';
import { createContentAddress } from './content-address.ts';
import type { ContentPlaces, Place } from './content-places.ts';
import { createContentVisitors, type Credentials } from './content-visitors.ts';
import type { ForwardedVisit } from './forwarded-visit.ts';
import { redirect } from './hand-over.ts';
import type { HotPages } from './hot-pages.ts';
import { refuseInAdvance } from './loaded-in-advance.ts';
import { createLocator, type Located } from './locate-content.ts';
import { sendNoAccess } from './no-access-page.ts';
import type { OtherServers } from './other-servers.ts';
import type { ApplicationProxy } from './proxy/application-proxy.ts';
import { sendThumbnail, THUMBNAIL_PATH } from './send-thumbnail.ts';
import { createFileServer, isVisit, type FileRequest } from './serve-files.ts';
import { createServedContents, type Served } from './served-contents.ts';
import type { ContentSite } from './site/index.ts';
import { hasPages, isPageVisit } from './starting-page.ts';
import { findVariantAt, requireVariantVisitor, type VariantAt } from './variant-at.ts';
import {
  findHeldAt,
  findVersion,
  requireCollaborator,
  requireVersion,
  type HeldAt,
  type Version,
} from './versions.ts';
import { mayView, ownerFor, readBarChoice } from './view-for.ts';
import { sendView, VIEW_PATH } from './view-page.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly authenticator: Authenticator;
  readonly deploys: DeployService;
  readonly oldVersions: OldVersions;
  readonly jobs: Jobs;
  readonly lifecycle: Lifecycle;
}

export interface ContentRoute {
  /** Answers a request for content; false if the path names none. */
  handle(request: IncomingMessage, response: ServerResponse, path: string, place: Place): Promise<boolean>;
  /** Opens a WebSocket to an application. @throws before anything was answered. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, path: string, place: Place): Promise<void>;
  /**
   * Answers a visit forwarded by another server. @throws before anything was answered; NotHere if its process is not on
   * this server.
   */
  take(request: IncomingMessage, response: ServerResponse, forwarded: ForwardedVisit): Promise<void>;
  takeSocket(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    forwarded: ForwardedVisit,
  ): Promise<void>;
  /** The content of a path. */
  locate(path: string): Promise<Located | null>;
  /** To be called when a content item, its rights or its vanity path changed. */
  forget(guid: string): void;
}

export interface ContentRouteParts {
  readonly services: Parts;
  readonly site: ContentSite;
  readonly hot: HotPages;
  readonly applications: Applications;
  readonly proxy: ApplicationProxy;
  readonly visits: VisitRecorder;
  readonly base: BaseUrl;
  readonly places: ContentPlaces;
  /** Null for a single server. */
  readonly otherServers: OtherServers | null;
  readonly counter: CanaryCounter;
}

/** Redirects to the parameters form, which is on the server's own origin: content cannot submit it for its visitor. */
const PARAMETERS_PATH = '/__parameters__';

/** In the sandbox, a page could neither load its files nor open its socket: such requests carry no identity. */
const NEEDS_ADDRESS =
  'Ask an administrator to set Server.ContentAddress, so that content has addresses apart from this one. ' +
  'The log of the start and the Server page of the dashboard say more.';

/** A request for content whose sender is authorized. */
interface Admitted extends FileRequest {
  readonly place: Located;
  readonly credentials: Credentials;
}

export function createContentRoute(parts: ContentRouteParts): ContentRoute {
  const { site, hot, proxy, base, places, otherServers } = parts;
  const { storage, clock, authenticator, deploys, oldVersions } = parts.services;
  const { db } = storage;
  const visitors = createContentVisitors(authenticator, db, places, base, clock);
  const contents = createServedContents(storage, deploys, (root) => site.drop(root));
  const locator = createLocator(storage);
  const { locate } = locator;
  const { policyFor, leadOn, addSlash } = createContentAddress(places, base);
  const files = createFileServer({ site, deploys, oldVersions, visits: parts.visits, policyFor });
  const running = createApplicationVisits({ ...parts, visitors, contents, policyFor });
  const canaries = createCanaryVisits({
    contents,
    places,
    clock,
    counter: parts.counter,
    isReady: running.isReady,
  });

  async function respond(requested: Omit<Admitted, 'caller' | 'rest'>, known: Served): Promise<void> {
    const { request, response, place, credentials } = requested;
    let caller: Caller | null;
    try {
      caller = await visitors.admit(known.content, credentials);
    } catch (error) {
      const mayAsk = isPageVisit(request) && !hasKey(request.headers) && known.content.locked === 0;
      if (!mayAsk || !(error instanceof ApiError) || error.code !== 19) throw error;
      return sendNoAccess(response, error, places.mainOf(request, null), place.guid);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') requireMoreThanReading(caller);
    const admitted = { ...requested, caller, rest: place.rest };
    if (place.rest === THUMBNAIL_PATH) return sendThumbnail(response, db, place.guid);
    if (place.rest === VIEW_PATH) return showView(admitted, known);
    if (place.rest === PARAMETERS_PATH) {
      const page = dashboardUrl(places.mainOf(request, null), place.guid);
      return redirect(response, 302, `${page}/variants`);
    }
    const variant = await findVariantAt(db, known.content, place.rest, clock.now());
    if (variant) return answerVariant(admitted, known.content, variant);
    const held = await findHeldAt(db, known.content, place.rest);
    if (held) return answerHeld(admitted, known.content, held);
    await answerVersion(admitted, known);
  }

  async function answerVariant(admitted: Admitted, content: ContentRow, at: VariantAt): Promise<void> {
    const { request, response, place, caller } = admitted;
    await requireVariantVisitor(db, content, at.variant, caller);
    if (at.rest === '') addSlash(request, response, behind(place, at));
    else await files.serveVariant({ ...admitted, rest: at.rest }, at.variant);
  }

  async function answerHeld(admitted: Admitted, content: ContentRow, at: HeldAt): Promise<void> {
    const { request, response, place, caller } = admitted;
    await requireCollaborator(db, content, caller);
    if (at.rest === '') addSlash(request, response, behind(place, at));
    else await files.serveHeld({ ...admitted, rest: at.rest }, at.held);
  }

  /** The content itself, or one of its versions. */
  async function answerVersion(admitted: Admitted, known: Served): Promise<void> {
    const { request, response, caller } = admitted;
    const version = await findVersion(db, known.content, admitted.rest, clock.now());
    const found = await contents.upToDate(known, version);
    const place = version ? behind(admitted.place, version) : admitted.place;
    const inVersion = { ...admitted, place, rest: place.rest };
    if (version) {
      await requireVersion(db, found.content, version, caller);
      if (place.rest === '') return addSlash(request, response, place);
      if (isOld(version, found.content)) return files.serveOld(inVersion, version.bundle);
    }
    if (version || !found.canary || !found.engine)
      return answerShown(inVersion, contents.shownOf(found, version), versionOf(version));
    await canaries.respond(inVersion.request, response, found, place, (shown, named) =>
      answerShown(inVersion, shown, named),
    );
  }

  /** @param version path of the draft among the versions; null for the active deploy */
  async function answerShown(admitted: Admitted, shown: Served, version: string | null): Promise<void> {
    const { request, response, caller, place, credentials } = admitted;
    const { content, root, engine, draft: ofDraft, isCanary } = shown;
    const draft = isCanary ? null : ofDraft;
    if (root === null)
      return sendPage(response, 404, 'Not published yet', 'This content has no successful deploy so far.');
    if (!engine) {
      const finding = await files.serveShown(admitted, shown, root);
      // Other paths may become versions or variants.
      const isForAll = content.access_type === 'all' && caller === null;
      if (isForAll && version === null && !ofDraft && !place.rest.startsWith('/_'))
        hot.keep(request, finding);
      return;
    }
    const isForSome = caller && (draft || content.access_type !== 'all');
    if ((engine.sessions || engine.countsVisits) && isForSome && policyFor(request) !== null)
      return sendPage(response, 503, 'This application needs an address of its own', NEEDS_ADDRESS);
    const seen = running.seenOf(request, place);
    const visit = await running.visitOf({ ...shown, engine }, seen, credentials, caller);
    await running.respond(request, response, visit, { content, forwarding: { credentials, version } });
    // The visitor may have left before anything came.
    const isCounted = engine.countsVisits && !draft && response.headersSent && isNavigation(request);
    if (!isCounted || !isVisit(request, response.statusCode)) return;
    const { guid: content_guid, bundle_id } = content;
    const visited = {
      content_guid,
      bundle_id: ofDraft?.bundle_id ?? bundle_id!,
      rendering_id: null,
      variant_key: null,
    };
    files.recordVisit(admitted, visited);
  }

  /** The bar with the content below it, for collaborators; only the content for others. */
  async function showView(admitted: Admitted, served: Served): Promise<void> {
    const { request, response, place, caller, credentials } = admitted;
    const { content, engine } = served;
    const path = new URL(places.here(request)).pathname.replace(/\/$/, '') + place.prefix;
    const bar = readBarChoice(request, place, path + VIEW_PATH);
    if (bar.cookie !== null) response.setHeader('Set-Cookie', bar.cookie);
    const isPage =
      served.root !== null && (engine === null || hasPages(engine)) && policyFor(request) === null;
    const hasBar = isPage && isPageVisit(request) && bar.isWanted && content.hide_bar === 0;
    if (!hasBar || caller === null || !(await mayView(db, content, caller)))
      return redirect(response, 302, `${path}/${bar.query}`);
    const main = places.mainOf(request, bar.from);
    const proceed = async () => {
      const owner = await ownerFor(parts.services, content, caller);
      sendView(response, { content, main, owner }, bar.query);
    };
    // With several servers, the frame's request finds the right one.
    if (engine === null || otherServers) return proceed();
    const seen = running.seenOf(request, place);
    const visit = await running.visitOf({ ...served, engine }, seen, credentials, caller);
    await running.respond(request, response, visit, { content, forwarding: null, proceed });
  }

  return {
    locate,
    async handle(request, response, url, at) {
      const place = await locate(url);
      if (!place) return false;
      if (refuseInAdvance(request, response)) return true;
      if (leadOn(request, response, place, at)) return true;
      if (place.rest === '') {
        addSlash(request, response, place);
        return true;
      }
      const known = await contents.load(place.guid);
      if (!known) throw errors.notFound();
      const credentials = visitors.credentialsOf(request, 'request');
      await respond({ request, response, place, credentials }, known);
      return true;
    },
    async upgrade(request, socket, head, url, at) {
      const place = at.kind === 'nowhere' ? null : await locate(url);
      const known = place && (await contents.load(place.guid));
      if (!known || (at.kind === 'item' && at.guid !== known.content.guid)) throw errors.notFound();
      visitors.requireOwnSocket(request);
      const credentials = visitors.credentialsOf(request, 'socket');
      const caller = await visitors.admit(known.content, credentials);
      requireMoreThanReading(caller);
      const version = await findVersion(db, known.content, place.rest, clock.now());
      const found = await contents.upToDate(known, version);
      if (version) await requireVersion(db, found.content, version, caller);
      const chosen = version ? null : canaries.ofSocket(request, found);
      const shown = chosen?.shown ?? contents.shownOf(found, version);
      const { engine } = shown;
      if (!engine || (version && isOld(version, found.content)))
        throw errors.actionNotSupported({ message: 'this content does not accept WebSockets' });
      const seen = running.seenOf(request, version ? behind(place, version) : place);
      const visit = await running.visitOf({ ...shown, engine }, seen, credentials, caller);
      const forwarding = { credentials, version: chosen ? chosen.version : versionOf(version) };
      if (otherServers && (await otherServers.upgrade(request, socket, head, visit, forwarding))) return;
      await proxy.upgrade(request, socket, head, visit);
    },
    async take(request, response, forwarded) {
      const visit = await running.visitOfForwarded(forwarded, false);
      if (request.headers.expect !== undefined) response.writeContinue();
      await running.serveHere(request, response, visit, { content: visit.content });
    },
    async takeSocket(request, socket, head, forwarded) {
      const isResumed = /[?&]pressroom-session=(?!new\b)/.test(forwarded.path);
      await proxy.upgrade(request, socket, head, await running.visitOfForwarded(forwarded, isResumed));
    },
    forget(guid) {
      contents.forget(guid);
      locator.forget();
      hot.forget();
    },
  };
}

/** An earlier deploy: neither active nor a draft. */
function isOld({ draft, bundle }: Version, content: ContentRow): boolean {
  return draft === null && bundle.id !== content.bundle_id;
}

/** Path of the draft among the versions. */
function versionOf(version: Version | null): string | null {
  return version?.draft ? `${version.prefix}/` : null;
}

/** The place of a version or variant, as if it were content of its own. */
function behind(place: Located, { prefix, rest }: Pick<Version, 'prefix' | 'rest'>): Located {
  return { ...place, prefix: place.prefix + prefix, rest };
}
