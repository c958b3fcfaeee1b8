// Visits to applications: served by a process of this or another server, with pages while a person waits.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from '@pressroom/api/contract';
import type { ContentRow } from '../content/store.ts';
import { preparedOf } from '../deploys/drafts/keep-draft.ts';
import type { DraftRow } from '../deploys/drafts/store.ts';
import { groupNamesOf } from '../groups/store.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { sessionTokenFor } from '../integrations/session-tokens.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import type { Lifecycle } from '../monitoring/health-route.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Applications } from '../runtime/applications.ts';
import type { ApplicationEngine } from '../runtime/kinds/index.ts';
import type { Pool } from '../runtime/pool/pool.ts';
import { schedulingOf } from '../runtime/pool/scheduling.ts';
import { Unavailable } from '../runtime/unavailable.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { ContentAddress } from './content-address.ts';
import type { ContentPlaces } from './content-places.ts';
import type { ContentVisitors, Credentials } from './content-visitors.ts';
import { sendFailurePage } from './failure-page.ts';
import { type ForwardedVisit, requireHere } from './forwarded-visit.ts';
import type { Located } from './locate-content.ts';
import type { OtherServers, Forwarding } from './other-servers.ts';
import type { ApplicationProxy } from './proxy/application-proxy.ts';
import type { Visit } from './proxy/visit.ts';
import type { Served, ServedCanary, ServedContents } from './served-contents.ts';
import { hasPages, isPageVisit, showStarting } from './starting-page.ts';
import { findVersion, requireVersion } from './versions.ts';

/** How a visitor addresses content. */
type Seen = Pick<Visit, 'url' | 'isAlone' | 'policy' | 'remoteAddress' | 'path'>;

export interface ServeOptions {
  readonly content: ContentRow;
  /** Null if no other server may answer. */
  readonly forwarding: Forwarding | null;
  /** Answers once a process listens; by default with the application's response. */
  readonly proceed?: () => Promise<void>;
}

export interface ApplicationVisits {
  /** The visit of an admitted visitor. */
  visitOf(
    served: Served & { engine: ApplicationEngine },
    seen: Seen,
    credentials: Credentials,
    caller: Caller | null,
  ): Promise<Visit>;
  seenOf(request: IncomingMessage, place: Located): Seen;
  /** Whether a process listens, or may listen on another server. */
  isReady(served: Served): boolean;
  /** A visit forwarded by another server, as if it had come here. @throws NotHere, Unavailable, ApiError */
  visitOfForwarded(
    forwarded: ForwardedVisit,
    isResumed: boolean,
  ): Promise<Visit & { readonly content: ContentRow }>;
  /** Answers by a process of this server. People see a start page; programs wait. */
  serveHere(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    options: Omit<ServeOptions, 'forwarding'>,
  ): Promise<void>;
  /** Answers by a process of any server. People see why an application does not start; programs get an error. */
  respond(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    options: ServeOptions,
  ): Promise<void>;
}

export interface ApplicationVisitsParts {
  readonly services: {
    readonly config: Config;
    readonly storage: Storage;
    readonly clock: Clock;
    readonly secrets: Secrets;
    readonly jobs: Jobs;
    readonly lifecycle: Lifecycle;
  };
  readonly applications: Applications;
  readonly proxy: ApplicationProxy;
  readonly base: BaseUrl;
  readonly places: ContentPlaces;
  /** Null for a single server. */
  readonly otherServers: OtherServers | null;
  readonly visitors: ContentVisitors;
  readonly contents: ServedContents;
  readonly policyFor: ContentAddress['policyFor'];
}

export function createApplicationVisits(parts: ApplicationVisitsParts): ApplicationVisits {
  const { applications, proxy, base, places, otherServers, visitors, contents, policyFor } = parts;
  const { config, storage, clock, lifecycle } = parts.services;
  const { db } = storage;

  function poolOf({ content, draft }: Served): Pool {
    if (!draft) return applications.poolOf(content);
    const { site, launch } = preparedOf(draft);
    return applications.poolOfDraft({ content, bundleId: draft.bundle_id, site, launch: launch! });
  }

  const visitOf: ApplicationVisits['visitOf'] = async (served, seen, credentials, caller) => {
    const { content, engine, draft, isCanary } = served;
    const check = async () => {
      const now = await contents.load(content.guid);
      if (!now) throw errors.notFound();
      const still = await visitors.admit(now.content, credentials);
      if ((still?.guid ?? null) !== (caller?.guid ?? null)) throw errors.authenticationRequired();
      if (draft && !isCanary) await requireDraft(now.content, draft, still);
    };
    const groups = caller ? await groupNamesOf(db, caller.guid) : [];
    return {
      contentGuid: content.guid,
      bundleId: draft?.bundle_id ?? content.bundle_id!,
      isDraft: draft !== null && !isCanary,
      engine,
      // Asked for at each use: one without processes is forgotten, and a visitor may take long to send a body.
      get pool() {
        return poolOf(served);
      },
      mayStart() {
        const now = contents.last(content.guid)?.content ?? content;
        return applications.mayStart(draft ? { ...now, site: draft.site } : now);
      },
      scheduling: () => schedulingOf(contents.last(content.guid)?.content ?? content, config),
      caller,
      groups,
      sessionToken: sessionTokenFor(parts.services, content, caller),
      ...seen,
      check,
    };
  };

  /** @throws if the visitor of a draft has lost access, or it has ended; a draft that became active may continue. */
  async function requireDraft(content: ContentRow, draft: DraftRow, caller: Caller | null): Promise<void> {
    const version = await findVersion(db, content, `/_bundle${draft.bundle_id}/`, clock.now());
    if (!version) throw errors.notFound();
    await requireVersion(db, content, version, caller);
    if ((version.draft?.site ?? content.site) !== draft.site) throw errors.notFound();
  }

  const serveHere: ApplicationVisits['serveHere'] = async (request, response, visit, options) => {
    const { content, proceed = () => proxy.handle(request, response, visit) } = options;
    const { engine, pool } = visit;
    const { idleTimeout } = visit.scheduling();
    const title = content.title ?? content.name;
    const isShown = isPageVisit(request) && hasPages(engine);
    if (isShown && (await showStarting(response, pool, { title, idleTimeout }))) return;
    await proceed();
  };

  return {
    visitOf,
    serveHere,
    seenOf: (request, place) => ({
      url: places.here(request) + place.prefix,
      isAlone: places.of(request).kind === 'item',
      policy: policyFor(request),
      remoteAddress: base.visitor(request),
      path: place.rest + place.query,
    }),
    isReady: (served) => otherServers !== null || poolOf(served).isReady,
    async visitOfForwarded(forwarded, isResumed) {
      const { credentials, version: path, process, url, isAlone, policy, remoteAddress } = forwarded;
      const known = await contents.load(forwarded.content);
      if (!known) throw errors.notFound();
      const caller = await visitors.admit(known.content, credentials);
      const canary = path === null ? null : canaryAt(known, path);
      const ofVersion = canary === null && path !== null;
      const version = ofVersion ? await findVersion(db, known.content, path, clock.now()) : null;
      if (ofVersion && !version) throw errors.notFound();
      const found = await contents.upToDate(known, version);
      const { content } = found;
      if (version) await requireVersion(db, content, version, caller);
      const shown = canary ? contents.canaryOf(found, canary) : contents.shownOf(found, version);
      const { engine } = shown;
      if (!engine) throw errors.notFound();
      const seen = { url, isAlone, policy, remoteAddress, path: forwarded.path };
      const visit = await visitOf({ ...shown, engine }, seen, credentials, caller);
      // The server that had an ended session reports its end.
      const isRunning =
        process === null ? visit.pool.processes > 0 && !lifecycle.isDraining : visit.pool.has(process);
      requireHere(isResumed || isRunning);
      return Object.assign(visit, { content });
    },
    async respond(request, response, visit, { forwarding, ...options }) {
      const { engine, caller } = visit;
      const { content } = options;
      try {
        if (forwarding && otherServers && (await otherServers.handle(request, response, visit, forwarding)))
          return;
        await serveHere(request, response, visit, options).catch(async (error: unknown) => {
          // Another server may have just taken the last place for a process.
          const isBusy = error instanceof Unavailable && error.status === 503 && !response.headersSent;
          if (!isBusy || !forwarding || !(await otherServers?.share(request, response, visit, forwarding)))
            throw error;
        });
      } catch (error) {
        const isFailure = error instanceof Unavailable && error.status !== 503;
        const isShown = isPageVisit(request) && hasPages(engine);
        if (!isShown || !isFailure || response.headersSent || response.destroyed) throw error;
        const main = places.mainOf(request, null);
        await sendFailurePage(parts.services, response, { content, caller, error, main });
      }
    },
  };
}

/** The name of a canary between servers, distinct from any content address: visitors are assigned and do not choose. */
export function canaryVersion({ id }: Pick<ServedCanary, 'id'>): string {
  return `canary ${id}`;
}

/** @throws NotHere if this server does not know such a canary */
function canaryAt({ canary }: Served, version: string): ServedCanary | null {
  if (!version.startsWith('canary ')) return null;
  requireHere(canary !== null && canaryVersion(canary) === version);
  return canary;
}
