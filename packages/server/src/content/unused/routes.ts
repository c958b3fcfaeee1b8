// API operations on unused content: list, keep.
import type { Audit } from '../../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { loadContent } from '../commands.ts';
import { unusedBefore, type Parts } from './parts.ts';
import { listUnused, saveKept } from './store.ts';

export const unusedRoutes = { getUnusedContent, keepContent };

const LISTED = 500;

async function getUnusedContent(
  parts: Parts,
  { caller }: ApiRequest<'getUnusedContent'>,
): Promise<ApiResponse<'getUnusedContent'>> {
  const before = unusedBefore(parts);
  if (before === null) return [];
  const owner = caller.role === 'administrator' ? null : caller.guid;
  const rows = await listUnused(parts.storage.db, { before, owner, limit: LISTED });
  return rows.map((row) => ({
    content_guid: row.guid,
    content_name: row.name,
    content_title: row.title,
    owner_guid: row.owner_guid,
    owner_username: row.username,
    last_used_time: row.last === null ? null : toTimestamp(row.last),
    last_deployed_time: row.last_deployed_time === null ? null : toTimestamp(row.last_deployed_time),
  }));
}

/** Keeps content: nobody is asked about it for a while. */
async function keepContent(
  { storage, clock, audit }: Parts & { readonly audit: Audit },
  { params, caller }: ApiRequest<'keepContent'>,
): Promise<void> {
  await storage.write(async (tx) => {
    const { content } = await loadContent(tx, params.guid, caller, 'keepContent');
    await saveKept(tx, content.guid, clock.now());
    const description = `Kept ${content.name} (${content.guid}), which nobody used`;
    await audit(tx, caller, 'keep_application', description, { content: content.guid });
  });
}
