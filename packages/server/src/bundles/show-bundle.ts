// A bundle as its caller sees it, with the size of its file: zero when that is gone (contract, section 2, Bundle).
import type { Bundle } from '@pressroom/api';
import { presentBundle } from '../content/present.ts';
import type { BlobStore } from '../platform/blobs/index.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { BundleRow } from './store.ts';

interface Parts {
  readonly blobs: BlobStore;
}

export async function showBundle(
  { blobs }: Parts,
  row: BundleRow,
  activeId: number | null,
  caller: Caller,
): Promise<Bundle> {
  return presentBundle(row, { activeId, callerRole: caller.role, size: await blobs.size(row.id) });
}
