// Bundles whose archive is gone, such as after a move that left some behind.
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Executor } from '../platform/database/storage.ts';
import { allBundleArchives } from './store.ts';

export const MISSING_REMEDY =
  'Copy them from the data directory that the server had (npm run move-files), restore them from a backup, or deploy that content again.';

/** Ids, ascending. @throws if the store does not respond */
export async function missingArchives(db: Executor, blobs: Pick<BlobStore, 'missing'>): Promise<number[]> {
  const missing = await blobs.missing(await allBundleArchives(db));
  if (missing.length === 0) return [];
  // Some may have been deleted since.
  const named = new Set((await allBundleArchives(db)).map(({ id }) => id));
  return missing.filter((id) => named.has(id));
}
