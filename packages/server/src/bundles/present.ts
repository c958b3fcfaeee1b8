// API representation of bundles.
import type { BundleGa, ServerRole } from '@pressroom/api/contract';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { presentCommit } from './commit.ts';
import type { ListedBundle } from './store.ts';

interface BundleView {
  readonly activeId: number | null;
  /** Only publishers and administrators see versions (contract, section 2 "Bundle"). */
  readonly callerRole: ServerRole;
  /** Bytes on disk. */
  readonly size: number;
}

export function presentBundle(row: ListedBundle, { activeId, callerRole, size }: BundleView): BundleGa {
  const versions = callerRole !== 'viewer';
  return {
    id: String(row.id),
    content_guid: row.content_guid,
    created_time: toTimestamp(row.created_time),
    r_version: versions ? row.r_version : null,
    py_version: versions ? row.py_version : null,
    active: row.id === activeId,
    size,
    metadata: {
      archive_md5: row.md5,
      ...(row.sha1 !== null && { archive_sha1: row.sha1 }),
      ...presentCommit(row.source),
    },
  };
}

/** With the size of its file; zero if that is missing (contract, section 2, Bundle). */
export async function showBundle(
  { blobs }: { readonly blobs: BlobStore },
  row: ListedBundle,
  activeId: number | null,
  caller: Caller,
): Promise<BundleGa> {
  return presentBundle(row, { activeId, callerRole: caller.role, size: await blobs.size(row) });
}
