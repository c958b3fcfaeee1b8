// Sends the archive of a bundle and writes an audit entry of the download.
import type { Audit } from '../audit/record.ts';
import type { ContentRow } from '../content/store.ts';
import type { ArchiveResponse } from '../http/request.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { BundleRow } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly blobs: BlobStore;
}

/** @throws ApiError 4 if its file is missing. */
export async function sendBundleArchive(
  { blobs, storage, audit }: Parts,
  caller: Caller,
  { bundle, content, isHead }: { bundle: BundleRow; content: ContentRow; isHead: boolean },
): Promise<ArchiveResponse> {
  const { stream, size } = await blobs.open(bundle);
  const archive = { stream, size, md5: bundle.md5, name: `bundle-${bundle.id}.tar.gz` };
  if (isHead) return archive;
  const what = `Downloaded bundle ${bundle.id} of ${content.name} (${content.guid})`;
  // Written as a transaction of its own: over PostgreSQL an entry must not get its id before an entry that becomes
  // visible later.
  try {
    await storage.write((tx) =>
      audit(tx, caller, 'download_bundle', what, { content: content.guid, bundle: bundle.id }),
    );
  } catch (error) {
    stream.destroy();
    throw error;
  }
  return archive;
}
