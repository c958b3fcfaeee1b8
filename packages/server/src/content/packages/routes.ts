// API operations on the R and Python packages of content.
import { setImmediate } from 'node:timers/promises';
import { errors, type ServerPackage } from '@pressroom/api/contract';
import { offsetOf } from '../../http/paging.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { loadContent } from '../commands.ts';
import { contentRole, contentScope, mayAct } from '../policy.ts';
import { type ContentRow, readContentWithRole } from '../store.ts';
import { packagesOf } from './packages-of.ts';
import { normalizedName } from './restored-packages.ts';

interface Parts {
  readonly storage: Storage;
}

export const packagesRoutes = { getContentLockfile, getContentPackages, getPackages };

/** Returns the Python packages of a content item as a requirements file. @throws ApiError 4 if none were restored */
async function getContentLockfile(
  { storage }: Parts,
  { params, caller }: ApiRequest<'getContentLockfile'>,
): Promise<ApiResponse<'getContentLockfile'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPackages');
  const packages = await packagesOf(storage.db, content);
  const lines = packages.filter(({ language }) => language === 'python');
  if (lines.length === 0)
    throw errors.notFound({ message: 'no Python packages were restored for this content' });
  return {
    bytes: Buffer.from(lines.map(({ name, version }) => `${name}==${version}\n`).join('')),
    type: 'text/plain; charset=utf-8',
    headers: { 'Generated-By': `pressroom; python=${content.py_version ?? ''}` },
  };
}

const MAX_PAGE_SIZE = 100_000;

async function getContentPackages(
  { storage }: Parts,
  { params, caller }: ApiRequest<'getContentPackages'>,
): Promise<ApiResponse<'getContentPackages'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPackages');
  return packagesOf(storage.db, content);
}

/** Lists the packages of all content whose packages the caller may read. */
async function getPackages(
  { storage }: Parts,
  { query, caller }: ApiRequest<'getPackages'>,
): Promise<ApiResponse<'getPackages'>> {
  const { db } = storage;
  const page_size = Math.min(query.page_size, MAX_PAGE_SIZE);
  const { offset, limit } = offsetOf({ page_number: query.page_number, page_size });
  const results: ServerPackage[] = [];
  let total = 0;
  // Only administrators read the packages of content that they can merely view.
  const scope = contentScope(caller, caller.role === 'administrator' ? null : 'editor');
  for await (const rows of readContentWithRole(db, { scope, guid: query.app_guid })) {
    for (const { granted, ...content } of rows) {
      if (
        content.bundle_id === null ||
        !mayAct('readPackages', contentRole(content, caller, granted), caller)
      )
        continue;
      // Thousands of items have millions of packages: only those of the page are kept.
      const wanted = await wantedPackages(db, content, query);
      results.push(...wanted.slice(Math.max(offset - total, 0), Math.max(offset + limit - total, 0)));
      total += wanted.length;
      // Manifests take long to parse: others come in between.
      await setImmediate();
    }
  }
  return { current_page: query.page_number, results, total };
}

async function wantedPackages(
  db: Executor,
  content: ContentRow,
  { name, version, language }: ApiRequest<'getPackages'>['query'],
): Promise<ServerPackage[]> {
  const packages = await packagesOf(db, content);
  const wanted = packages.filter(
    (one) =>
      (name === undefined || one.name === (one.language === 'python' ? normalizedName(name) : name)) &&
      (version ?? one.version) === one.version &&
      (language ?? one.language) === one.language,
  );
  return wanted.map((one) => ({
    ...one,
    language_version: one.language === 'r' ? content.r_version : content.py_version,
    bundle_id: String(content.bundle_id),
    app_id: content.guid,
    app_guid: content.guid,
  }));
}
