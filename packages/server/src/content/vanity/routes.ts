// API operations on the vanity path of a content item.
import { errors } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { loadContent } from '../commands.ts';
import { removeVanityPath, setVanityPath, type Parts } from './commands.ts';
import { findVanity, listVanities as listVanityRows, type VanityRow } from './store.ts';

export const vanityRoutes = { deleteVanity, getVanity, listVanities, setVanity };

function deleteVanity(
  parts: Pick<Parts, 'storage' | 'audit' | 'contentChanged'>,
  { params, caller }: ApiRequest<'deleteVanity'>,
): Promise<ApiResponse<'deleteVanity'>> {
  return removeVanityPath(parts, caller, params.guid);
}

async function getVanity(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getVanity'>,
): Promise<ApiResponse<'getVanity'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readVanity');
  const row = await findVanity(storage.db, content.guid);
  if (!row) throw errors.notFound();
  return present(row);
}

/** Lists the vanity paths of all content. */
async function listVanities({ storage }: Pick<Parts, 'storage'>): Promise<ApiResponse<'listVanities'>> {
  const rows = await listVanityRows(storage.db);
  return rows.toSorted((a, b) => (a.path_key < b.path_key ? -1 : 1)).map(present);
}

async function setVanity(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'setVanity'>,
): Promise<ApiResponse<'setVanity'>> {
  return present(await setVanityPath(parts, caller, params.guid, body.path, body.force ?? false));
}

function present(row: VanityRow): ApiResponse<'getVanity'> {
  return { content_guid: row.content_guid, path: row.path, created_time: toTimestamp(row.created_time) };
}
