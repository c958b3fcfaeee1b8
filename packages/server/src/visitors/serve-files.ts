// Serves static content: the active deploy, a draft, an older version or a variant; each page is a visit.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { OldVersions } from '../deploys/sites/old-versions.ts';
import { sendPage } from '../http/pages.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { Visit as RecordedVisit, VisitRecorder } from '../usage/visit-recorder.ts';
import type { HeldRow } from '../variants/held-store.ts';
import type { VariantRow } from '../variants/store.ts';
import type { ContentAddress } from './content-address.ts';
import type { Finding } from './hot-pages.ts';
import { isLoadedInAdvance } from './loaded-in-advance.ts';
import { filesOf, type Served } from './served-contents.ts';
import type { ContentSite } from './site/index.ts';
import { filesOfVariant } from './variant-at.ts';

/** An admitted request for one file of content. */
export interface FileRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path relative to the content. */
  readonly rest: string;
  readonly caller: Caller | null;
}

/** The subject of a recorded visit. */
type Visited = Omit<RecordedVisit, 'user_guid' | 'path'>;

export interface FileServer {
  /** Serves the active deploy, or a draft, in `root`. Returns the finding for similar requests. */
  serveShown(fileRequest: FileRequest, shown: Served, root: string): Promise<Finding>;
  serveOld(fileRequest: FileRequest, bundle: BundleRow): Promise<void>;
  serveVariant(fileRequest: FileRequest, variant: VariantRow): Promise<void>;
  /** Does not count as a visit. */
  serveHeld(fileRequest: FileRequest, held: HeldRow): Promise<void>;
  /** Records a visit of an application whose visits are counted like those of pages. */
  recordVisit(fileRequest: FileRequest, visited: Visited): void;
}

export interface FileServerParts {
  readonly site: ContentSite;
  readonly deploys: DeployService;
  readonly oldVersions: OldVersions;
  readonly visits: VisitRecorder;
  readonly policyFor: ContentAddress['policyFor'];
}

/** Maximum recorded characters of a path. */
const MAX_VISITED_LENGTH = 500;

export function createFileServer(parts: FileServerParts): FileServer {
  const { site, deploys, oldVersions, visits, policyFor } = parts;

  /** @param visited null for a draft, whose visits do not count */
  async function serve(
    fileRequest: FileRequest,
    files: { readonly root: string; readonly version: string; readonly primary: string },
    visited: Visited | null,
  ): Promise<Finding> {
    const { request, response, rest, caller } = fileRequest;
    const policy = policyFor(request);
    const headers = policy !== null && { headers: { 'Content-Security-Policy': policy } };
    const found = { ...files, path: rest, ...headers };
    const isFirst = isFirstPage(rest, files.primary);
    const finding: Finding = {
      site: found,
      answered(like, { status, isPage }) {
        if (visited && (isPage || isFirst) && isVisit(like, status)) recordVisit({ rest, caller }, visited);
      },
    };
    finding.answered(request, await site.serve(request, response, found));
    return finding;
  }

  function recordVisit({ rest, caller }: Pick<FileRequest, 'rest' | 'caller'>, visited: Visited): void {
    // Requests of content itself and of the screenshot browser do not count.
    if (caller !== null && caller.content_guid !== null) return;
    visits.record({ ...visited, user_guid: caller?.guid ?? null, path: rest.slice(0, MAX_VISITED_LENGTH) });
  }

  return {
    recordVisit,
    async serveShown(fileRequest, shown, root) {
      const { content, draft, site: version, primary } = shown;
      const { guid: content_guid, bundle_id, rendering_id, variant_key } = content;
      using _held = deploys.openDeployed && (await deploys.openDeployed.served(filesOf(shown)));
      const visited = draft ? null : { content_guid, bundle_id: bundle_id!, rendering_id, variant_key };
      return await serve(fileRequest, { root, version: version!, primary }, visited);
    },
    async serveOld(fileRequest, bundle) {
      const { content_guid, id: bundle_id } = bundle;
      const primary = storedManifest(bundle.manifest).primary_html ?? 'index.html';
      using version = await oldVersions.open(bundle);
      const visited = { content_guid, bundle_id, rendering_id: null, variant_key: null };
      await serve(fileRequest, { root: version.root, version: `rev-${bundle_id}`, primary }, visited);
    },
    async serveVariant(fileRequest, variant) {
      const { content_guid, variant_key, bundle_id, rendering_id, site: version } = variant;
      const files = filesOfVariant(variant);
      if (files === null || version === null) {
        const message = 'This variant has no successful rendering so far.';
        return sendPage(fileRequest.response, 404, 'Not rendered yet', message);
      }
      using _held = deploys.openDeployed && (await deploys.openDeployed.served(files));
      const root = deploys.siteDirectory(content_guid, version);
      const visited = { content_guid, bundle_id: bundle_id!, rendering_id, variant_key };
      await serve(fileRequest, { root, version, primary: 'index.html' }, visited);
    },
    async serveHeld(fileRequest, { content_guid: guid, site, bundle_id }) {
      const shown = { guid, site, bundle_id, rendering_id: 0 };
      using _held = deploys.openDeployed && (await deploys.openDeployed.served(shown));
      await serve(
        fileRequest,
        { root: deploys.siteDirectory(guid, site), version: site, primary: 'index.html' },
        null,
      );
    },
  };
}

/** The entry page counts as a visit whatever its type: plots are pictures. */
function isFirstPage(path: string, primary: string): boolean {
  return path === '/' || path === `/${encodeURIComponent(primary)}`;
}

export function isVisit(request: IncomingMessage, status: number): boolean {
  return request.method === 'GET' && (status === 200 || status === 304) && !isLoadedInAdvance(request);
}
