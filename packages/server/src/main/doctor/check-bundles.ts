// Whether the archives of all bundles are where the settings say.
import { MISSING_REMEDY, missingArchives } from '../../bundles/missing-archives.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { bad, type Finding } from './finding.ts';

/** @throws if the store does not respond, which another check reports, too */
export async function checkBundles(db: Executor, blobs: Pick<BlobStore, 'missing'>): Promise<Finding[]> {
  const missing = await missingArchives(db, blobs);
  if (missing.length === 0) return [];
  return [bad('Bundles', `${missing.length} of the database are not in its store`, MISSING_REMEDY)];
}
