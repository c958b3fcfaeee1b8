// Directories of content items that drafts and variants use.
import type { Executor } from '../../platform/database/storage.ts';
import { variantSites } from '../../variants/store.ts';
import { draftSites } from '../drafts/store.ts';

/** By content item. */
export async function keptSites(db: Executor, contentGuid?: string): Promise<Map<string, string[]>> {
  // Drafts first: one that goes live meanwhile is served content.
  const sites = await draftSites(db, contentGuid);
  for (const [guid, names] of await variantSites(db, contentGuid))
    sites.set(guid, [...(sites.get(guid) ?? []), ...names]);
  return sites;
}
