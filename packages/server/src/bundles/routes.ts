// Bundles: uploaded, listed, downloaded, deleted (contract, 4.2).
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { offsetOf } from '../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { deleteBundle as deleteBundleCommand, loadBundle } from './commands.ts';
import { presentBundle, showBundle } from './present.ts';
import { receiveUpload } from './receive-upload.ts';
import { sendBundleArchive } from './send-archive.ts';
import { listBundles } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly blobs: BlobStore;
}

export const bundlesRoutes = {
  deleteBundle,
  deleteBundleGa,
  downloadBundle,
  downloadBundleGa,
  getBundle,
  getBundleGa,
  getBundles,
  getBundlesGa,
  uploadApplication,
  uploadContentBundle,
  uploadContentBundleGa,
};

/** Deletes a bundle that is not active (contract, 4.2). */
function deleteBundle(
  services: Pick<Parts, 'storage' | 'audit' | 'blobs'>,
  { params, caller }: ApiRequest<'deleteBundle'>,
): Promise<ApiAnswer<'deleteBundle'>> {
  return deleteBundleCommand(services, caller, params.id);
}

/** Deletes a bundle that is not active (contract, 4.2). */
function deleteBundleGa(
  services: Pick<Parts, 'storage' | 'audit' | 'blobs'>,
  { params, caller }: ApiRequest<'deleteBundleGa'>,
): Promise<ApiAnswer<'deleteBundleGa'>> {
  return deleteBundleCommand(services, caller, params.id, params.guid);
}

/** Answers the archive byte for byte (contract, 4.2). */
async function downloadBundle(
  services: Pick<Parts, 'storage' | 'audit' | 'blobs'>,
  { params, caller }: ApiRequest<'downloadBundle'>,
): Promise<ApiAnswer<'downloadBundle'>> {
  const found = await loadBundle(services.storage.db, params.id, caller, 'downloadBundle');
  return sendBundleArchive(services, caller, found);
}

/** Answers the archive byte for byte (contract, 4.2). */
async function downloadBundleGa(
  services: Pick<Parts, 'storage' | 'audit' | 'blobs'>,
  { params, caller }: ApiRequest<'downloadBundleGa'>,
): Promise<ApiAnswer<'downloadBundleGa'>> {
  const found = await loadBundle(services.storage.db, params.id, caller, 'downloadBundle', params.guid);
  return sendBundleArchive(services, caller, found);
}

/** Reads one bundle (contract, 4.2). */
async function getBundle(
  services: Pick<Parts, 'storage' | 'blobs'>,
  { params, caller }: ApiRequest<'getBundle'>,
): Promise<ApiAnswer<'getBundle'>> {
  const { bundle, content } = await loadBundle(services.storage.db, params.id, caller, 'getBundle');
  return showBundle(services, bundle, content.bundle_id, caller);
}

/** Reads one bundle (contract, 4.2). */
async function getBundleGa(
  services: Pick<Parts, 'storage' | 'blobs'>,
  { params, caller }: ApiRequest<'getBundleGa'>,
): Promise<ApiAnswer<'getBundleGa'>> {
  const { bundle, content } = await loadBundle(
    services.storage.db,
    params.id,
    caller,
    'getBundle',
    params.guid,
  );
  return showBundle(services, bundle, content.bundle_id, caller);
}

/** Lists the bundles of a content item, page by page (contract, 4.2). */
async function getBundles(
  services: Pick<Parts, 'storage' | 'blobs'>,
  { params, query, caller }: ApiRequest<'getBundles'>,
): Promise<ApiAnswer<'getBundles'>> {
  const { content } = await loadContent(services.storage.db, params.guid, caller, 'getBundle');
  const { rows, total } = await listBundles(services.storage.db, content.guid, offsetOf(query));
  const results = await Promise.all(rows.map((row) => showBundle(services, row, content.bundle_id, caller)));
  return { current_page: query.page_number, results, total };
}

/** Lists all bundles of a content item (GA form). */
async function getBundlesGa(
  services: Pick<Parts, 'storage' | 'blobs'>,
  { params, caller }: ApiRequest<'getBundlesGa'>,
): Promise<ApiAnswer<'getBundlesGa'>> {
  const { content } = await loadContent(services.storage.db, params.guid, caller, 'getBundle');
  const { rows } = await listBundles(services.storage.db, content.guid);
  return Promise.all(rows.map((row) => showBundle(services, row, content.bundle_id, caller)));
}

/** Takes in a bundle, for older clients. */
function uploadApplication(
  services: Parts,
  request: ApiRequest<'uploadApplication'>,
): Promise<ApiAnswer<'uploadApplication'>> {
  return uploadContentBundleGa(services, request);
}

/** Takes in a bundle (contract, 4.3). */
async function uploadContentBundle(
  services: Parts,
  { params, caller, raw, signal, setHeader }: ApiRequest<'uploadContentBundle'>,
): Promise<ApiAnswer<'uploadContentBundle'>> {
  const { id, size, md5 } = await receiveUpload(services, caller, params.guid, raw, signal);
  setHeader('X-Content-Checksum', md5);
  return { bundle_id: String(id), size };
}

/** Takes in a bundle (GA form). */
async function uploadContentBundleGa(
  services: Parts,
  { params, caller, raw, signal, setHeader }: Omit<ApiRequest<'uploadContentBundleGa'>, 'query' | 'body'>,
): Promise<ApiAnswer<'uploadContentBundleGa'>> {
  const bundle = await receiveUpload(services, caller, params.guid, raw, signal);
  setHeader('X-Content-Checksum', bundle.md5);
  return presentBundle(bundle, { activeId: null, callerRole: caller.role, size: bundle.size });
}
