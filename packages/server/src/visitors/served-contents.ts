// Loads what is served of content items: the active deploy, cached, or a draft.
import type { Manifest } from '@pressroom/api/contract';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import type { Chosen } from '../canaries/choose-side.ts';
import { lastStartedCanary, OPEN } from '../canaries/store.ts';
import { type ContentRow, findContent } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { preparedOf } from '../deploys/drafts/keep-draft.ts';
import { findDraft, type DraftRow } from '../deploys/drafts/store.ts';
import type { ServedFiles } from '../deploys/sites/open-deployed.ts';
import { createKeptRecords } from '../platform/database/kept-records.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { type ApplicationEngine, findApplication } from '../runtime/kinds/index.ts';
import { storedLaunch } from '../runtime/launch-record.ts';
import type { Version } from './versions.ts';

export interface Served {
  readonly content: ContentRow;
  /** Shown instead of the active deploy; null for that. */
  readonly draft: DraftRow | null;
  /** Whether the draft is a canary, which the content's visitors see. */
  readonly isCanary: boolean;
  /** For the active deploy: the canary that takes a share of its visitors; null for none. */
  readonly canary: ServedCanary | null;
  readonly root: string | null;
  /** Changes with the files. */
  readonly site: string | null;
  readonly primary: string;
  /** Null for static files. */
  readonly engine: ApplicationEngine | null;
}

/** A bundle beside the live one. */
export interface ServedCanary extends Chosen {
  readonly bundle: BundleRow;
  readonly draft: DraftRow;
}

export interface ServedContents {
  load(guid: string): Promise<Served | null>;
  /** The last loaded value, possibly outdated. */
  last(guid: string): Served | null | undefined;
  /** The content at a version: its draft, if it is one. */
  shownOf(found: Served, version: Version | null): Served;
  /** What visitors assigned to the canary see. */
  canaryOf(found: Served, canary: ServedCanary): Served;
  /** Reloads if a draft may have become active before this server learned of it. */
  upToDate(found: Served, version: Version | null): Promise<Served>;
  /** To be called when a content item or its rights changed. */
  forget(guid: string): void;
}

const CONTENTS_KEPT = 10_000;

/** @param onReplaced called with a directory that is no longer served */
export function createServedContents(
  storage: Storage,
  deploys: Pick<DeployService, 'siteDirectory'>,
  onReplaced: (root: string) => void,
): ServedContents {
  const { db } = storage;
  const contents = createKeptRecords<Served>(storage, {
    max: CONTENTS_KEPT,
    replaced(old, by) {
      if (old.root !== null && old.root !== by?.root) onReplaced(old.root);
    },
  });

  function load(guid: string): Promise<Served | null> {
    return contents.get(guid, async () => {
      const content = await findContent(db, guid);
      if (!content) return null;
      const bundle = content.bundle_id === null ? undefined : await findBundle(db, content.bundle_id);
      const manifest = bundle && storedManifest(bundle.manifest);
      const root = content.site === null ? null : deploys.siteDirectory(guid, content.site);
      const primary = primaryOf(content.rendering_id !== null, manifest);
      const canary = content.launch === null ? null : await findServedCanary(db, guid);
      const shown = { content, root, site: content.site, primary, engine: engineOf(content) };
      return { ...shown, draft: null, isCanary: false, canary };
    });
  }

  function loadDraft(content: ContentRow, bundle: BundleRow, draft: DraftRow): Served {
    const { site, launch, isRendered } = preparedOf(draft);
    const primary = primaryOf(isRendered, storedManifest(bundle.manifest));
    const root = deploys.siteDirectory(content.guid, site);
    const engine = launch && findApplication(launch.manifest.appmode);
    return { content, draft, isCanary: false, canary: null, root, site, primary, engine };
  }

  /** Reloads if a draft may have become active before this server learned of it. */
  async function upToDate(found: Served, version: Version | null): Promise<Served> {
    const { guid, bundle_id } = found.content;
    if (!version || version.draft || version.bundle.id === bundle_id) return found;
    const now = await findContent(db, guid);
    if (now?.bundle_id !== version.bundle.id) return found;
    contents.drop(guid);
    return (await load(guid)) ?? found;
  }

  return {
    load,
    last: (guid) => contents.last(guid),
    shownOf: (found, version) =>
      version?.draft ? loadDraft(found.content, version.bundle, version.draft) : found,
    canaryOf: ({ content }, { bundle, draft }) => ({ ...loadDraft(content, bundle, draft), isCanary: true }),
    upToDate,
    forget: (guid) => contents.drop(guid),
  };
}

/** The files to unpack if they are in a store. */
export function filesOf({ content, draft }: Served): ServedFiles {
  if (!draft) return content;
  const rendering_id = preparedOf(draft).isRendered ? 0 : null;
  return { guid: content.guid, site: draft.site, bundle_id: draft.bundle_id, rendering_id };
}

/** Microseconds that open pages of a canary are served after its end. */
const KEPT_AFTER_END = 86_400_000_000;

/** After its end it is kept for sessions that started with it. */
async function findServedCanary(db: Executor, contentGuid: string): Promise<ServedCanary | null> {
  const canary = await lastStartedCanary(db, contentGuid);
  if (!canary || canary.state === 'live') return null;
  const { id, bundle_id } = canary;
  const [bundle, draft] = [await findBundle(db, bundle_id), await findDraft(db, bundle_id)];
  if (!bundle || draft?.content_guid !== contentGuid || preparedOf(draft).launch === null) return null;
  const isOpen = OPEN.includes(canary.state);
  const keptUntil = isOpen ? null : (canary.decided_time ?? 0) + KEPT_AFTER_END;
  return { id, bundle_id, share: isOpen ? canary.share : 0, keptUntil, bundle, draft };
}

function primaryOf(isRendered: boolean, manifest: Manifest | undefined): string {
  // A rendering's entry page always has this name.
  return !isRendered ? (manifest?.primary_html ?? 'index.html') : 'index.html';
}

function engineOf({ launch }: ContentRow): ApplicationEngine | null {
  if (launch === null) return null;
  const { manifest } = storedLaunch(launch);
  return findApplication(manifest.appmode);
}
