// Deployed content under /content/{guid}/ and vanity paths: who may see it, and what is served.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, errors } from '@pressroom/api/contract';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { type ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { DraftRow } from '../deploys/draft-store.ts';
import { preparedOf } from '../deploys/keep-draft.ts';
import type { OldVersions } from '../deploys/old-versions.ts';
import { groupNamesOf } from '../groups/store.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { hasKey, isNavigation } from '../http/from-elsewhere.ts';
import { sendPage } from '../http/pages.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import type { Lifecycle } from '../monitoring/health-route.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Applications } from '../runtime/applications.ts';
import { type ApplicationEngine } from '../runtime/kinds/index.ts';
import type { Pool } from '../runtime/pool/pool.ts';
import { schedulingOf } from '../runtime/pool/scheduling.ts';
import { Unavailable } from '../runtime/unavailable.ts';
import { type Authenticator, type Caller, readCookie, SESSION_COOKIE } from '../sign-in/authenticator.ts';
import type { Visit as RecordedVisit, VisitRecorder } from '../usage/visit-recorder.ts';
import type { ContentPlaces, Place } from './content-places.ts';
import { createContentVisitors, type Credentials } from './content-visitors.ts';
import type { Elsewhere, Handing } from './elsewhere.ts';
import { sendFailurePage } from './failure-page.ts';
import { sendNoAccess } from './no-access-page.ts';
import { HAND_OVER, redirect } from './hand-over.ts';
import { requireHere, type Handed } from './handed.ts';
import { createLocator, type Located } from './locate-content.ts';
import type { ApplicationProxy } from './proxy/application-proxy.ts';
import type { Visit } from './proxy/visit.ts';
import { sendThumbnail, THUMBNAIL_PATH } from './send-thumbnail.ts';
import { createServedContents, filesOf, type Served } from './served-contents.ts';
import type { ContentSite } from './site/index.ts';
import { hasPages, isPageVisit, showStarting } from './starting-page.ts';
import { filesOfVariant, findVariantAt, requireVariantVisitor, type VariantAt } from './variant-at.ts';
import { findVersion, requireVersion, type Version } from './versions.ts';
import { mayView, ownerFor, readWish } from './view-for.ts';
import { sendView, VIEW_PATH } from './view-page.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  readonly deploys: DeployService;
  readonly oldVersions: OldVersions;
  readonly jobs: Jobs;
  readonly lifecycle: Lifecycle;
}

export interface ContentRoute {
  /** Answers a request for content; false when the path names none. */
  handle(request: IncomingMessage, response: ServerResponse, path: string, place: Place): Promise<boolean>;
  /** Opens a socket to an application. @throws before anything was answered. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, path: string, place: Place): Promise<void>;
  /** Answers a visit that another server handed on. @throws before anything was answered; NotHere where its process is not. */
  take(request: IncomingMessage, response: ServerResponse, handed: Handed): Promise<void>;
  takeSocket(request: IncomingMessage, socket: Duplex, head: Buffer, handed: Handed): Promise<void>;
  /** The content that a path names. */
  locate(path: string): Promise<Located | null>;
  /** To be called when a content item, its rights or its vanity path changed. */
  forget(guid: string): void;
}

export interface ContentRouteParts {
  readonly services: Parts;
  readonly site: ContentSite;
  readonly applications: Applications;
  readonly proxy: ApplicationProxy;
  readonly visits: VisitRecorder;
  readonly base: BaseUrl;
  readonly places: ContentPlaces;
  /** Null where this is the only server. */
  readonly elsewhere: Elsewhere | null;
}

/** How a visitor sees content. */
type Seen = Pick<Visit, 'url' | 'policy' | 'remoteAddress' | 'path'>;

/** Scripts run, but with no origin: they cannot act for anybody on the address that they came from. */
const SANDBOX =
  'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads';
const SANDBOXED = { 'Content-Security-Policy': SANDBOX };

/** Leads to the form for values, which content cannot fill in for its visitor: it is on the server's own origin. */
const PARAMETERS_PATH = '/__parameters__';

/** Characters of a path that are kept with a visit. */
const LONGEST_VISITED = 500;

/** In the sandbox its page could neither load its files nor open its socket: nothing tells whose they are. */
const NEEDS_ADDRESS =
  'Ask an administrator to set Server.ContentAddress, so that content has addresses apart from this one. ' +
  'The log of the start and the Server page of the dashboard say more.';

interface Viewing {
  readonly place: Located;
  readonly served: Served;
  readonly caller: Caller | null;
  readonly credentials: Credentials;
}

export function createContentRoute(parts: ContentRouteParts): ContentRoute {
  const { site, applications, proxy, visits, base, places, elsewhere } = parts;
  const { config, storage, clock, authenticator, deploys, oldVersions, lifecycle } = parts.services;
  const { db } = storage;
  const visitors = createContentVisitors(authenticator, db, places);
  const contents = createServedContents(storage, deploys, (root) => site.drop(root));
  const locator = createLocator(storage);
  const { locate } = locator;
  const { load, loadDraft, upToDate } = contents;

  function poolOf({ content, draft }: Served): Pool {
    if (!draft) return applications.poolOf(content);
    const { site, launch } = preparedOf(draft);
    return applications.poolOfDraft({ content, bundleId: draft.bundle_id, site, launch: launch! });
  }

  /** An admitted visitor of an application. */
  async function visitOf(
    served: Served & { engine: ApplicationEngine },
    seen: Seen,
    credentials: Credentials,
    caller: Caller | null,
  ): Promise<Visit> {
    const { content, engine, draft } = served;
    const check = async () => {
      const now = await load(content.guid);
      if (!now) throw errors.notFound();
      const still = await visitors.admit(now.content, credentials);
      if ((still?.guid ?? null) !== (caller?.guid ?? null)) throw errors.authenticationRequired();
      if (draft) await requireDraft(now.content, draft, still);
    };
    const groups = caller ? await groupNamesOf(db, caller.guid) : [];
    return {
      contentGuid: content.guid,
      bundleId: draft?.bundle_id ?? content.bundle_id!,
      isDraft: draft !== null,
      engine,
      pool: poolOf(served),
      scheduling: () => schedulingOf(contents.last(content.guid)?.content ?? content, config),
      caller,
      groups,
      ...seen,
      check,
    };
  }

  function seenOf(request: IncomingMessage, place: Located): Seen {
    return {
      url: places.here(request) + place.prefix,
      policy: policyFor(request),
      remoteAddress: base.visitor(request),
      path: place.rest + place.query,
    };
  }

  /** What another server has handed on, as if the visitor had come here. @throws NotHere, Unavailable, ApiError */
  async function visitOfHanded(handed: Handed, isResumed: boolean): Promise<Visit & { content: ContentRow }> {
    const { credentials, version: path, process, url, policy, remoteAddress } = handed;
    const known = await load(handed.content);
    if (!known) throw errors.notFound();
    const caller = await visitors.admit(known.content, credentials);
    const version = path === null ? null : await findVersion(db, known.content, path, clock.now());
    if (path !== null && !version) throw errors.notFound();
    const { content, ...found } = await upToDate(known, version);
    if (version) await requireVersion(db, content, version, caller);
    const shown = version?.draft ? loadDraft(content, version.bundle, version.draft) : { content, ...found };
    const { engine } = shown;
    if (!engine) throw errors.notFound();
    const seen = { url, policy, remoteAddress, path: handed.path };
    const visit = await visitOf({ ...shown, engine }, seen, credentials, caller);
    // A session that is over is told so by whoever had it.
    const isRunning =
      process === null ? visit.pool.processes > 0 && !lifecycle.isDraining : visit.pool.has(process);
    requireHere(isResumed || isRunning);
    return { ...visit, content };
  }

  /** @throws where who visits a draft may not be there any more, or it has ended; what it became may be gone on with. */
  async function requireDraft(content: ContentRow, draft: DraftRow, caller: Caller | null): Promise<void> {
    const version = await findVersion(db, content, `/_bundle${draft.bundle_id}/`, clock.now());
    if (!version) throw errors.notFound();
    await requireVersion(db, content, version, caller);
    if ((version.draft?.site ?? content.site) !== draft.site) throw errors.notFound();
  }

  /** People are shown that an application starts; programs wait. */
  async function answerHere(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    content: ContentRow,
    proceed = () => proxy.handle(request, response, visit),
  ): Promise<void> {
    const { engine, pool } = visit;
    const { idleTimeout } = visit.scheduling();
    const title = content.title ?? content.name;
    const isShown = isPageVisit(request) && hasPages(engine);
    if (isShown && (await showStarting(response, pool, { title, idleTimeout }))) return;
    await proceed();
  }

  /** Here or on another server. People are shown why an application does not start; programs get an error. */
  async function answerVisit(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    content: ContentRow,
    handing: Handing | null,
    proceed?: () => Promise<void>,
  ): Promise<void> {
    const { engine, caller } = visit;
    try {
      if (handing && elsewhere && (await elsewhere.handle(request, response, visit, handing))) return;
      await answerHere(request, response, visit, content, proceed);
    } catch (error) {
      const isFailure = error instanceof Unavailable && error.status !== 503;
      const isShown = isPageVisit(request) && hasPages(engine);
      if (!isShown || !isFailure || response.headersSent || response.destroyed) throw error;
      const main = places.mainOf(request, null);
      await sendFailurePage(parts.services, response, { content, caller, error, main });
    }
  }

  /** Content that is answered on the server's own origin runs there as if it had none. */
  function policyFor(request: IncomingMessage): string | null {
    const isOurs = !hasKey(request.headers) && !places.isShared;
    return isOurs && places.of(request).kind === 'main' ? SANDBOX : null;
  }

  /** Browsers find content on its own origin, whatever address they came to first. */
  function leadOn(request: IncomingMessage, response: ServerResponse, found: Located, place: Place): boolean {
    const isThere = place.kind === 'item' ? place.guid === found.guid : place.kind !== 'main';
    if (isThere || places.isShared || hasKey(request.headers)) return false;
    if (!isNavigation(request)) {
      if (place.kind === 'item') throw errors.notFound();
      return false;
    }
    const address = places.addressOf(request, found.guid);
    if (address === null) return false;
    const next = found.prefix + (found.rest || '/') + found.query;
    const isSignedIn = place.kind === 'main' && readCookie(request.headers.cookie, SESSION_COOKIE) !== null;
    const from = new URL(base.of(request)).hostname;
    const query = new URLSearchParams({ from, next }).toString();
    redirect(response, 307, isSignedIn ? `${address}${HAND_OVER}?${query}` : address + next);
    return true;
  }

  /** Addresses of content end with a slash, so that its own are below. */
  function addSlash(request: IncomingMessage, response: ServerResponse, place: Located): true {
    const here = new URL(places.here(request)).pathname.replace(/\/$/, '');
    const location = `${here}${place.prefix}/${place.query}`;
    response.writeHead(308, { Location: location, 'Content-Length': 0 }).end();
    return true;
  }

  function record(
    content_guid: string,
    caller: Caller | null,
    rest: string,
    what: Pick<RecordedVisit, 'bundle_id'> & Partial<Pick<RecordedVisit, 'rendering_id' | 'variant_key'>>,
  ): void {
    // Content that opens itself is no visitor, nor is who takes its picture.
    if (caller !== null && caller.content_guid !== null) return;
    visits.record({
      content_guid,
      user_guid: caller?.guid ?? null,
      rendering_id: null,
      variant_key: null,
      ...what,
      // Enough for any page that somebody made.
      path: rest.slice(0, LONGEST_VISITED),
    });
  }

  /** The bar with the content below it, for those who work on it; for others the content alone. */
  async function showView(
    request: IncomingMessage,
    response: ServerResponse,
    { place, served, caller, credentials }: Viewing,
  ): Promise<void> {
    const { content, engine } = served;
    const path = new URL(places.here(request)).pathname.replace(/\/$/, '') + place.prefix;
    const wish = readWish(request, place, path + VIEW_PATH);
    if (wish.cookie !== null) response.setHeader('Set-Cookie', wish.cookie);
    const isPage =
      served.root !== null && (engine === null || hasPages(engine)) && policyFor(request) === null;
    const hasBar = isPage && isPageVisit(request) && wish.isWanted && content.hide_bar === 0;
    if (!hasBar || caller === null || !(await mayView(db, content, caller)))
      return redirect(response, 302, `${path}/${wish.query}`);
    const main = places.mainOf(request, wish.from);
    const proceed = async () =>
      sendView(
        response,
        { content, main, owner: await ownerFor(parts.services, content, caller) },
        wish.query,
      );
    // With several servers, the frame finds the one that has the process.
    if (engine === null || elsewhere) return proceed();
    const visit = await visitOf({ ...served, engine }, seenOf(request, place), credentials, caller);
    await answerVisit(request, response, visit, content, null, proceed);
  }

  async function serveOld(
    request: IncomingMessage,
    response: ServerResponse,
    { bundle, rest }: Version,
    caller: Caller | null,
  ): Promise<void> {
    const policy = policyFor(request);
    const primary = storedManifest(bundle.manifest).primary_html ?? 'index.html';
    using version = await oldVersions.open(bundle);
    const { status, isPage } = await site.serve(request, response, {
      root: version.root,
      version: `rev-${bundle.id}`,
      path: rest,
      primary,
      ...(policy !== null && { headers: SANDBOXED }),
    });
    if (!(isPage || isFirstPage(rest, primary)) || !isVisit(request, status)) return;
    record(bundle.content_guid, caller, rest, { bundle_id: bundle.id });
  }

  async function serveVariant(
    request: IncomingMessage,
    response: ServerResponse,
    { variant, rest }: VariantAt,
    caller: Caller | null,
  ): Promise<void> {
    const { content_guid: guid, variant_key, bundle_id, rendering_id } = variant;
    const files = filesOfVariant(variant);
    if (files?.site === undefined || files.site === null)
      return sendPage(response, 404, 'Not rendered yet', 'This variant has no successful rendering so far.');
    const policy = policyFor(request);
    using _held = deploys.openDeployed && (await deploys.openDeployed.served(files));
    const { status, isPage } = await site.serve(request, response, {
      root: deploys.siteDirectory(guid, files.site),
      version: files.site,
      path: rest,
      primary: 'index.html',
      ...(policy !== null && { headers: SANDBOXED }),
    });
    if (!(isPage || isFirstPage(rest, 'index.html')) || !isVisit(request, status)) return;
    record(guid, caller, rest, { bundle_id: bundle_id!, rendering_id, variant_key });
  }

  return {
    locate,
    async handle(request, response, url, at) {
      const asked = await locate(url);
      if (!asked) return false;
      if (leadOn(request, response, asked, at)) return true;
      if (asked.rest === '') return addSlash(request, response, asked);
      const known = await load(asked.guid);
      if (!known) throw errors.notFound();
      const credentials = visitors.credentialsOf(request, 'request');
      let caller: Caller | null;
      try {
        caller = await visitors.admit(known.content, credentials);
      } catch (error) {
        const mayAsk = isPageVisit(request) && !hasKey(request.headers) && known.content.locked === 0;
        if (!mayAsk || !(error instanceof ApiError) || error.code !== 19) throw error;
        sendNoAccess(response, error, places.mainOf(request, null), asked.guid);
        return true;
      }
      if (asked.rest === THUMBNAIL_PATH) {
        await sendThumbnail(response, db, asked.guid);
        return true;
      }
      if (asked.rest === VIEW_PATH) {
        await showView(request, response, { place: asked, served: known, caller, credentials });
        return true;
      }
      if (asked.rest === PARAMETERS_PATH) {
        const main = places.mainOf(request, null);
        redirect(response, 302, `${main}${DASHBOARD_PREFIX}/content/${asked.guid}/variants`);
        return true;
      }
      const variant = await findVariantAt(db, known.content, asked.rest, clock.now());
      if (variant) {
        await requireVariantVisitor(db, known.content, variant.variant, caller);
        if (variant.rest === '') return addSlash(request, response, behind(asked, variant));
        await serveVariant(request, response, variant, caller);
        return true;
      }
      const version = await findVersion(db, known.content, asked.rest, clock.now());
      const found = await upToDate(known, version);
      const { content } = found;
      const place = version ? behind(asked, version) : asked;
      if (version) {
        await requireVersion(db, content, version, caller);
        if (place.rest === '') return addSlash(request, response, place);
        if (version.draft === null && version.bundle.id !== content.bundle_id) {
          await serveOld(request, response, version, caller);
          return true;
        }
      }
      const shown = version?.draft ? loadDraft(content, version.bundle, version.draft) : found;
      const { root, site: shownSite, primary, engine, draft } = shown;
      if (root === null) {
        sendPage(response, 404, 'Not published yet', 'This content has no successful deploy so far.');
        return true;
      }
      if (
        (engine?.sessions || engine?.countsVisits) &&
        caller &&
        (draft || content.access_type !== 'all') &&
        policyFor(request) !== null
      ) {
        sendPage(response, 503, 'This application needs an address of its own', NEEDS_ADDRESS);
        return true;
      }
      if (engine) {
        const visit = await visitOf({ ...shown, engine }, seenOf(request, place), credentials, caller);
        await answerVisit(request, response, visit, content, { credentials, version: versionOf(version) });
        if (!draft && engine.countsVisits && isNavigation(request) && isVisit(request, response.statusCode)) {
          record(content.guid, caller, place.rest, { bundle_id: content.bundle_id! });
        }
        return true;
      }
      const policy = policyFor(request);
      using _held = deploys.openDeployed && (await deploys.openDeployed.served(filesOf(shown)));
      const { status, isPage } = await site.serve(request, response, {
        root,
        version: shownSite!,
        path: place.rest,
        primary,
        ...(policy !== null && { headers: SANDBOXED }),
      });
      if (!draft && (isPage || isFirstPage(place.rest, primary)) && isVisit(request, status)) {
        const { rendering_id, variant_key } = content;
        record(content.guid, caller, place.rest, {
          bundle_id: content.bundle_id!,
          rendering_id,
          variant_key,
        });
      }
      return true;
    },
    async upgrade(request, socket, head, url, at) {
      const asked = at.kind === 'nowhere' ? null : await locate(url);
      const known = asked && (await load(asked.guid));
      if (!known || (at.kind === 'item' && at.guid !== known.content.guid)) throw errors.notFound();
      visitors.requireOwnSocket(request);
      const credentials = visitors.credentialsOf(request, 'socket');
      const caller = await visitors.admit(known.content, credentials);
      const version = await findVersion(db, known.content, asked.rest, clock.now());
      const found = await upToDate(known, version);
      const { content } = found;
      if (version) await requireVersion(db, content, version, caller);
      const place = version ? behind(asked, version) : asked;
      const shown = version?.draft ? loadDraft(content, version.bundle, version.draft) : found;
      const { engine } = shown;
      const isOld = version && version.draft === null && version.bundle.id !== content.bundle_id;
      if (!engine || isOld)
        throw errors.actionNotSupported({ message: 'this content does not accept WebSockets' });
      const visit = await visitOf({ ...shown, engine }, seenOf(request, place), credentials, caller);
      const handing = { credentials, version: versionOf(version) };
      if (elsewhere && (await elsewhere.upgrade(request, socket, head, visit, handing))) return;
      await proxy.upgrade(request, socket, head, visit);
    },
    async take(request, response, handed) {
      const visit = await visitOfHanded(handed, false);
      if (request.headers.expect !== undefined) response.writeContinue();
      await answerHere(request, response, visit, visit.content);
    },
    async takeSocket(request, socket, head, handed) {
      const isResumed = /[?&]pressroom-session=(?!new\b)/.test(handed.path);
      await proxy.upgrade(request, socket, head, await visitOfHanded(handed, isResumed));
    },
    forget(guid) {
      contents.forget(guid);
      locator.forget();
    },
  };
}

/** What the content opens with counts as a visit whatever it is: plots are pictures. */
function isFirstPage(path: string, primary: string): boolean {
  return path === '/' || path === `/${encodeURIComponent(primary)}`;
}

function isVisit({ method }: IncomingMessage, status: number): boolean {
  return method === 'GET' && (status === 200 || status === 304);
}

/** The address of the draft among the versions. */
function versionOf(version: Version | null): string | null {
  return version?.draft ? `${version.prefix}/` : null;
}

/** The place of a version or a variant, as if it were content of its own. */
function behind(place: Located, { prefix, rest }: Pick<Version, 'prefix' | 'rest'>): Located {
  return { ...place, prefix: place.prefix + prefix, rest };
}
