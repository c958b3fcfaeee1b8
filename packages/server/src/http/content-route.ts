// Deployed content under /content/{guid}/ and vanity paths: who may see it, and what is served.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@pressroom/api';
import type { Caller } from '../auth/authenticator.ts';
import type { ContentSite } from '../content-site/index.ts';
import type { Manifest } from '../deploy/archive/index.ts';
import { contentRole } from '../domain/policies.ts';
import type { Services } from '../services.ts';
import { findBundle } from '../storage/bundles.ts';
import { listVanities } from '../storage/content-extras.ts';
import { findContent, findGrantedRole, type ContentRow } from '../storage/content.ts';
import type { VisitRecorder } from '../usage/visit-recorder.ts';
import type { BaseUrl } from './base-url.ts';
import { sendPage } from './pages.ts';

export interface ContentRoute {
  /** Answers a request for content; false when the path names none. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** To be called when a content item, its rights or its vanity path changed. */
  forget(guid: string): void;
}

interface Served {
  readonly content: ContentRow;
  readonly root: string | null;
  readonly primary: string;
}

const CONTENT_PATH = /^\/content\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(\/[^?]*)?(\?.*)?$/;

export function createContentRoute(
  services: Pick<Services, 'storage' | 'authenticator' | 'deploys'>,
  site: ContentSite,
  visits: VisitRecorder,
  base: BaseUrl,
): ContentRoute {
  const { storage, authenticator, deploys } = services;
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
    const found = { content, root, primary: manifest?.primary_html ?? 'index.html' };
    if (keep) served.set(guid, found);
    return found;
  }

  async function locate(
    url: string,
  ): Promise<{ guid: string; rest: string; prefix: string; query: string } | null> {
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
  async function admit(content: ContentRow, request: IncomingMessage): Promise<Caller | null> {
    if (content.access_type === 'all') {
      // A stale key or a locked account must not hide what everybody may see.
      return authenticator.identify(request.headers, 'GET').catch(() => null);
    }
    const caller = await authenticator.identify(request.headers, 'GET');
    if (!caller) throw new ApiError(24);
    const granted =
      content.access_type === 'acl' ? await findGrantedRole(db, content.guid, caller.guid) : null;
    const role = contentRole(content, caller, granted);
    if (role === null || role === 'none') throw new ApiError(19);
    return caller;
  }

  return {
    async handle(request, response, url) {
      const place = await locate(url);
      if (!place) return false;
      if (place.rest === '') {
        const location = `${new URL(base.of(request)).pathname.replace(/\/$/, '')}${place.prefix}/${place.query}`;
        response.writeHead(308, { Location: location, 'Content-Length': 0 }).end();
        return true;
      }
      const found = await load(place.guid);
      if (!found) throw new ApiError(4);
      const { content, root, primary } = found;
      const caller = await admit(content, request);
      if (root === null) {
        sendPage(response, 404, 'Not published yet', 'This content has no successful deploy so far.');
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
        });
      }
      return true;
    },
    forget(guid) {
      const old = served.get(guid);
      served.delete(guid);
      vanities = null;
      if (old?.root) site.drop(old.root);
    },
  };
}

function splitQuery(url: string): [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}
