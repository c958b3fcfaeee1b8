// Bundles: upload, list, download, delete (contract, 4.2).
import type { BundleGa } from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import { bothForms, sameInBothForms } from '../http/both-forms.ts';
import { offsetOf } from '../http/paging.ts';
import type { ApiResponse, ApiRequest, ArchiveResponse } from '../http/request.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { deleteBundle as deleteBundleCommand, loadBundle, type Parts } from './commands.ts';
import { presentBundle, showBundle } from './present.ts';
import { receiveUpload } from './receive-upload.ts';
import { sendBundleArchive } from './send-archive.ts';
import { listBundles, type BundleRow } from './store.ts';

export const bundlesRoutes = {
  ...sameInBothForms('deleteBundle', deleteBundle),
  ...sameInBothForms('downloadBundle', downloadBundle),
  ...sameInBothForms('getBundle', getBundle),
  getBundles,
  getBundlesGa,
  ...bothForms('uploadContentBundle', uploadContentBundle, {
    experimental: ({ id, size }) => ({ bundle_id: String(id), size }),
    stable: presentUpload,
  }),
  uploadApplication,
};

/** The GA form also names the content item of a bundle. */
function contentIn(params: { readonly id: string; readonly guid?: string }): string | undefined {
  return params.guid;
}

/** Deletes a bundle that is not active. */
function deleteBundle(
  parts: Parts,
  { params, caller }: ApiRequest<'deleteBundle'> | ApiRequest<'deleteBundleGa'>,
): Promise<void> {
  return deleteBundleCommand(parts, caller, params.id, contentIn(params));
}

/** Returns the archive byte for byte. */
async function downloadBundle(
  parts: Pick<Parts, 'storage' | 'audit' | 'blobs'>,
  { params, caller, raw }: ApiRequest<'downloadBundle'> | ApiRequest<'downloadBundleGa'>,
): Promise<ArchiveResponse> {
  const found = await loadBundle(parts.storage.db, params.id, caller, 'downloadBundle', contentIn(params));
  return sendBundleArchive(parts, caller, { ...found, isHead: raw.method === 'HEAD' });
}

async function getBundle(
  parts: Pick<Parts, 'storage' | 'blobs'>,
  { params, caller }: ApiRequest<'getBundle'> | ApiRequest<'getBundleGa'>,
): Promise<BundleGa> {
  const found = await loadBundle(parts.storage.db, params.id, caller, 'getBundle', contentIn(params));
  return showBundle(parts, found.bundle, found.content.bundle_id, caller);
}

/** Lists the bundles of a content item, page by page. */
async function getBundles(
  parts: Pick<Parts, 'storage' | 'blobs'>,
  { params, query, caller }: ApiRequest<'getBundles'>,
): Promise<ApiResponse<'getBundles'>> {
  const { results, total } = await bundlesOf(parts, params.guid, caller, offsetOf(query));
  return { current_page: query.page_number, results, total };
}

/** Lists all bundles of a content item. */
async function getBundlesGa(
  parts: Pick<Parts, 'storage' | 'blobs'>,
  { params, caller }: ApiRequest<'getBundlesGa'>,
): Promise<ApiResponse<'getBundlesGa'>> {
  return (await bundlesOf(parts, params.guid, caller)).results;
}

async function bundlesOf(
  parts: Pick<Parts, 'storage' | 'blobs'>,
  guid: string,
  caller: Caller,
  page?: ReturnType<typeof offsetOf>,
): Promise<{ results: BundleGa[]; total: number }> {
  const { db } = parts.storage;
  const { content } = await loadContent(db, guid, caller, 'getBundle');
  const { rows, total } = await listBundles(db, content.guid, page);
  const results = await Promise.all(rows.map((row) => showBundle(parts, row, content.bundle_id, caller)));
  return { results, total };
}

async function uploadContentBundle(parts: Parts, request: UploadRequest): Promise<BundleRow> {
  const { params, caller, setHeader } = request;
  const bundle = await receiveUpload(parts, caller, params.guid, request);
  setHeader('X-Content-Checksum', bundle.md5);
  return bundle;
}

type UploadRequest = Pick<
  ApiRequest<'uploadContentBundleGa'>,
  'params' | 'caller' | 'raw' | 'signal' | 'setHeader' | 'again'
>;

function presentUpload(bundle: BundleRow, { caller }: Pick<UploadRequest, 'caller'>): BundleGa {
  return presentBundle(bundle, { activeId: null, callerRole: caller.role, size: bundle.size });
}

/** Uploads a bundle, for older clients. */
async function uploadApplication(
  parts: Parts,
  request: ApiRequest<'uploadApplication'>,
): Promise<ApiResponse<'uploadApplication'>> {
  return presentUpload(await uploadContentBundle(parts, request), request);
}
