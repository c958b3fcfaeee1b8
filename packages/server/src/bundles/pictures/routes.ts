// Compares two bundles as a reader sees them: pictures side by side, and numbers that moved.
import { errors } from '@pressroom/api/contract';
import { loadContent } from '../../content/commands.ts';
import type { ContentRow } from '../../content/store.ts';
import type { DeployService } from '../../deploys/deploy-service.ts';
import { findDraft } from '../../deploys/drafts/store.ts';
import type { OldVersions } from '../../deploys/sites/old-versions.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { findEngine } from '../../runtime/kinds/index.ts';
import { findBundle, type BundleRow } from '../store.ts';
import { storedManifest } from '../stored-manifest.ts';
import { differenceOf } from './compare-pictures.ts';
import { movedNumbers } from './moved-numbers.ts';
import { noPicture } from './no-picture.ts';
import { pageOf } from './page-of.ts';
import { tablesIn } from './tables-in.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly deploys: DeployService;
  readonly oldVersions: OldVersions;
  /** @throws ApiError 39 if this server takes no pictures */
  readonly takePicture: (content: ContentRow, page: string) => Promise<Buffer>;
}

export const bundlePicturesRoutes = { compareBundlePages, compareBundleNumbers };

const MAX_NUMBERS = 500;

/** Compares the first screen of two bundles. @throws ApiError 4, 39 if a page cannot be opened or captured */
async function compareBundlePages(
  { storage: { db }, clock, takePicture }: Parts,
  { params, query, caller }: ApiRequest<'compareBundlePages'>,
): Promise<ApiResponse<'compareBundlePages'>> {
  // Only for callers who may open bundles that are not live.
  const { content } = await loadContent(db, params.guid, caller, 'openDraft');
  const bundles = await toCompare(db, content, query.since, params.id, clock.now());
  const ids = bundles.map(({ id }) => id.toString()) as [string, string];
  const take = (id: string) =>
    takePicture(content, Number(id) === content.bundle_id ? '' : `_bundle${id}/`).catch(
      noPicture(`bundle ${id}`),
    );
  const [before, after] = [await take(ids[0]), await take(ids[1])];
  const { changed, width, height, png } = differenceOf(before, after);
  return {
    before: { bundle_id: ids[0], image: before.toString('base64') },
    after: { bundle_id: ids[1], image: after.toString('base64') },
    difference: png.toString('base64'),
    changed,
    width,
    height,
  };
}

/** Compares the tables on the first page of two bundles. @throws ApiError 4, 39 if a page cannot be opened */
async function compareBundleNumbers(
  parts: Parts,
  { params, query, caller }: ApiRequest<'compareBundleNumbers'>,
): Promise<ApiResponse<'compareBundleNumbers'>> {
  const { db } = parts.storage;
  const { content } = await loadContent(db, params.guid, caller, 'openDraft');
  const [before, after] = await toCompare(db, content, query.since, params.id, parts.clock.now());
  const tables = async (bundle: BundleRow) => tablesIn(await pageOf(parts, content, bundle));
  const moved = movedNumbers(await tables(before), await tables(after));
  return {
    before: { bundle_id: before.id.toString() },
    after: { bundle_id: after.id.toString() },
    moved: moved.slice(0, MAX_NUMBERS),
    more: Math.max(0, moved.length - MAX_NUMBERS),
  };
}

/**
 * @param since absent: the active bundle. @throws ApiError 4 if it is no bundle of this content, 39 if it has no page
 */
async function toCompare(
  db: Executor,
  content: ContentRow,
  since: string | undefined,
  id: string,
  now: number,
): Promise<[before: BundleRow, after: BundleRow]> {
  const older = since ?? content.bundle_id?.toString();
  if (older === undefined) throw errors.actionNotSupported({ message: 'nothing is live to compare with' });
  return [await withPage(db, content, older, now), await withPage(db, content, id, now)];
}

async function withPage(db: Executor, content: ContentRow, id: string, now: number): Promise<BundleRow> {
  const bundle = /^\d{1,15}$/.test(id) ? await findBundle(db, Number(id)) : undefined;
  if (bundle?.content_guid !== content.guid)
    throw errors.notFound({ message: 'there is no such bundle of this content' });
  const kind = kindOf(bundle);
  if (kind === 'files' || (kind === 'document' && bundle.id === content.bundle_id)) return bundle;
  const draft = kind === 'document' ? await findDraft(db, bundle.id) : undefined;
  if (draft && draft.expires_time > now) return bundle;
  const message =
    kind === 'document'
      ? `bundle ${id} is neither active nor a draft: its rendering is not kept`
      : 'only pages and documents are compared as readers see them';
  throw errors.actionNotSupported({ message });
}

const kindOf = ({ manifest }: BundleRow) => findEngine(storedManifest(manifest).appmode).kind;
