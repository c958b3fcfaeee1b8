// The first page of a bundle as a reader sees it: of the active deploy, a draft, or an earlier deploy.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentRow } from '../../content/store.ts';
import type { DeployService } from '../../deploys/deploy-service.ts';
import { preparedOf } from '../../deploys/drafts/keep-draft.ts';
import { findDraft } from '../../deploys/drafts/store.ts';
import type { OldVersions } from '../../deploys/sites/old-versions.ts';
import type { ServedFiles } from '../../deploys/sites/open-deployed.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { errnoOf } from '../../platform/errors.ts';
import type { BundleRow } from '../store.ts';
import { storedManifest } from '../stored-manifest.ts';

interface Parts {
  readonly storage: Storage;
  readonly deploys: DeployService;
  readonly oldVersions: OldVersions;
}

/** Bytes of a page; larger ones contain embedded data. */
const MAX_PAGE_BYTES = 64 * 2 ** 20;
const NOTHING = Buffer.alloc(0);

/**
 * Its HTML; empty if there is none, or if it is larger than 64 MiB. @throws ApiError 134, 135, 1 with status 503 if its
 * files are unavailable
 */
export async function pageOf(parts: Parts, content: ContentRow, bundle: BundleRow): Promise<Buffer> {
  const { deploys, oldVersions } = parts;
  const primary = storedManifest(bundle.manifest).primary_html ?? 'index.html';
  const shown = await shownOf(parts, content, bundle);
  if (shown === null) {
    using version = await oldVersions.open(bundle);
    return readPage(join(version.root, primary));
  }
  using held = (await deploys.openDeployed?.served(shown)) ?? null;
  const root = held?.root ?? deploys.siteDirectory(content.guid, shown.site ?? '');
  return readPage(join(root, shown.rendering_id === null ? primary : 'index.html'));
}

/** Null if only its archive is left. */
async function shownOf(
  { storage: { db } }: Parts,
  content: ContentRow,
  bundle: BundleRow,
): Promise<ServedFiles | null> {
  if (bundle.id === content.bundle_id) return content;
  const draft = await findDraft(db, bundle.id);
  if (!draft) return null;
  const rendering_id = preparedOf(draft).isRendered ? 0 : null;
  return { guid: content.guid, site: draft.site, bundle_id: draft.bundle_id, rendering_id };
}

/** Does not open links and pipes. */
async function readPage(path: string): Promise<Buffer> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    return stats.isFile() && stats.size <= MAX_PAGE_BYTES ? await file.readFile() : NOTHING;
  } catch (error) {
    if (errnoOf(error) !== undefined) return NOTHING;
    throw error;
  }
}
