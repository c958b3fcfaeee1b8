// Deployed content under /content/{guid}/ and vanity paths: who may see it, and what is served.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@pressroom/api';
import type { Caller } from '../auth/authenticator.ts';
import type { ContentSite } from '../content-site/index.ts';
import type { Manifest } from '../deploy/archive/index.ts';
import { contentRole } from '../domain/policies.ts';
import type { ApplicationProxy, Visit } from '../proxy/application-proxy.ts';
import type { Applications, LaunchRecord } from '../runtime/applications.ts';
import { findEngine, type ApplicationEngine } from '../runtime/engines/index.ts';
import { schedulingOf } from '../runtime/workers/scheduling.ts';
import type { Services } from '../services.ts';
import { findBundle } from '../storage/bundles.ts';
import { listVanities } from '../storage/content-extras.ts';
import { findContent, findGrantedRole, type ContentRow } from '../storage/content.ts';
import { groupNamesOf } from '../storage/groups.ts';
import type { VisitRecorder } from '../usage/visit-recorder.ts';
import type { BaseUrl } from './base-url.ts';
import { sendPage } from './pages.ts';

export interface ContentRoute {
  /** Answers a request for content; false when the path names none. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Opens a socket to an application. @throws before anything was answered. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, path: string): Promise<void>;
  /** To be called when a content item, its rights or its vanity path changed. */
  forget(guid: string): void;
}

interface Served {
  readonly content: ContentRow;
  readonly root: string | null;
  readonly primary: string;
  /** Null for what is served as files. */
  readonly engine: ApplicationEngine | null;
}

interface Place {
  readonly guid: string;
  /** Path behind the content's own; empty when it lacks even the slash. */
  readonly rest: string;
  readonly prefix: string;
  readonly query: string;
}

export interface ContentRouteParts {
  readonly services: Pick<Services, 'config' | 'storage' | 'authenticator' | 'deploys'>;
  readonly site: ContentSite;
  readonly applications: Applications;
  readonly proxy: ApplicationProxy;
  readonly visits: VisitRecorder;
  readonly base: BaseUrl;
}

const CONTENT_PATH = /^\/content\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(\/[^?]*)?(\?.*)?$/;

export function createContentRoute(parts: ContentRouteParts): ContentRoute {
  const { site, applications, proxy, visits, base } = parts;
  const { config, storage, authenticator, deploys } = parts.services;
  const { db } = storage;
  // Kept only over SQLite, where no other server can change what they say.
  const keep = storage.engine === 'sqlite';
  const served = new Map<string, Served>();
  let vanities: Promise<{ path: string; guid: string }[]> | null = null;

  async function load(guid: string): Promise<Served | null> {
    const kept = served.get(guid);
    if (kept) return kept;
    const content = await findContent(db, guid);
    if (!content) return null;
    const bundle = content.bundle_id === null ? undefined : await findBundle(db, content.bundle_id);
    const manifest = bundle && (JSON.parse(bundle.manifest) as Manifest);
    const root = content.site === null ? null : deploys.siteDirectory(guid, content.site);
    const found = { content, root, primary: primaryOf(content, manifest), engine: engineOf(content) };
    if (keep) served.set(guid, found);
    return found;
  }

  async function locate(url: string): Promise<Place | null> {
    const match = CONTENT_PATH.exec(url);
    if (match) {
      const guid = match[1]!.toLowerCase();
      return { guid, rest: match[2] ?? '', prefix: `/content/${guid}`, query: match[3] ?? '' };
    }
    const [path, query] = splitQuery(url);
    if (path.startsWith('/__')) return null;
    vanities ??= listVanities(db).then((rows) =>
      rows.map((row) => ({ path: row.path_key, guid: row.content_guid })),
    );
    const known = await vanities;
    if (!keep) vanities = null;
    const wanted = `${path.toLowerCase()}/`;
    const vanity = known.find((row) => wanted.startsWith(row.path));
    if (!vanity) return null;
    const length = vanity.path.length - 1;
    return { guid: vanity.guid, rest: path.slice(length), prefix: path.slice(0, length), query };
  }

  /** Null when anybody may see it and nobody is signed in. @throws ApiError 19, 24, 50 */
  async function admit(content: ContentRow, headers: IncomingHttpHeaders): Promise<Caller | null> {
    if (content.access_type === 'all') {
      // A stale key or a locked account must not hide what everybody may see.
      const visitor = await authenticator.identify(headers, 'GET').catch(() => null);
      return visitor && isKeyOfOther(visitor, content) ? null : visitor;
    }
    const caller = await authenticator.identify(headers, 'GET');
    if (!caller) throw new ApiError(24);
    if (isKeyOfOther(caller, content)) throw new ApiError(19);
    const granted =
      content.access_type === 'acl' ? await findGrantedRole(db, content.guid, caller.guid) : null;
    const role = contentRole(content, caller, granted);
    if (role === null || role === 'none') throw new ApiError(19);
    return caller;
  }

  /** An admitted visitor of an application. */
  async function visitOf(
    { content, engine }: Served & { engine: ApplicationEngine },
    place: Place,
    request: IncomingMessage,
    caller: Caller | null,
  ): Promise<Visit> {
    // The proxy changes the headers; who it is must be asked again later.
    const credentials = authenticator.credentialsIn(request.headers);
    const check = async () => {
      const now = await load(content.guid);
      if (!now) throw new ApiError(4);
      const still = await admit(now.content, credentials);
      if ((still?.guid ?? null) !== (caller?.guid ?? null)) throw new ApiError(24);
    };
    const groups = caller ? await groupNamesOf(db, caller.guid) : [];
    return {
      contentGuid: content.guid,
      engine,
      pool: applications.poolOf(content),
      scheduling: () => schedulingOf(served.get(content.guid)?.content ?? content, config),
      caller,
      groups,
      url: base.ofContent(request) + place.prefix,
      remoteAddress: base.visitor(request),
      path: place.rest + place.query,
      check,
    };
  }

  return {
    async handle(request, response, url) {
      const place = await locate(url);
      if (!place) return false;
      if (place.rest === '') {
        const location = `${new URL(base.ofContent(request)).pathname.replace(/\/$/, '')}${place.prefix}/${place.query}`;
        response.writeHead(308, { Location: location, 'Content-Length': 0 }).end();
        return true;
      }
      const found = await load(place.guid);
      if (!found) throw new ApiError(4);
      const { content, root, primary, engine } = found;
      const caller = await admit(content, request.headers);
      if (root === null) {
        sendPage(response, 404, 'Not published yet', 'This content has no successful deploy so far.');
        return true;
      }
      if (engine) {
        await proxy.handle(request, response, await visitOf({ ...found, engine }, place, request, caller));
        return true;
      }
      const version = content.site!;
      const { status, isPage } = await site.serve(request, response, {
        root,
        version,
        path: place.rest,
        primary,
      });
      if (isPage && request.method === 'GET' && (status === 200 || status === 304)) {
        visits.record({
          content_guid: content.guid,
          user_guid: caller?.guid ?? null,
          bundle_id: content.bundle_id!,
          rendering_id: content.rendering_id,
          variant_key: content.variant_key,
        });
      }
      return true;
    },
    async upgrade(request, socket, head, url) {
      if (base.contentAddress !== null && !base.isOfContent(request)) throw new ApiError(4);
      const place = await locate(url);
      const found = place && (await load(place.guid));
      if (!found) throw new ApiError(4);
      const { content, engine } = found;
      const caller = await admit(content, request.headers);
      if (!engine) throw new ApiError(39, { message: 'this content takes no sockets' });
      await proxy.upgrade(request, socket, head, await visitOf({ ...found, engine }, place, request, caller));
    },
    forget(guid) {
      const old = served.get(guid);
      served.delete(guid);
      vanities = null;
      if (old?.root) site.drop(old.root);
    },
  };
}

/** The key of one content item opens no other. */
function isKeyOfOther(caller: Caller, content: ContentRow): boolean {
  return caller.content_guid !== null && caller.content_guid !== content.guid;
}

function primaryOf(content: ContentRow, manifest: Manifest | undefined): string {
  // What a render leaves always begins with this file.
  return content.rendering_id === null ? (manifest?.primary_html ?? 'index.html') : 'index.html';
}

function engineOf({ launch }: ContentRow): ApplicationEngine | null {
  if (launch === null) return null;
  const { manifest } = JSON.parse(launch) as LaunchRecord;
  return findEngine(manifest.appmode) as ApplicationEngine;
}

function splitQuery(url: string): [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}
