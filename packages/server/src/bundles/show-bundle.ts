// A bundle as its caller sees it, with the size of its file: zero when that is gone (contract, section 2, Bundle).
import type { Bundle } from '@pressroom/api';
import type { Caller } from '../../../auth/authenticator.ts';
import { presentBundle } from '../../../domain/presenters.ts';
import type { Services } from '../../../services.ts';
import type { BundleRow } from '../../../storage/bundles.ts';

export async function showBundle(
  { blobs }: Services,
  row: BundleRow,
  activeId: number | null,
  caller: Caller,
): Promise<Bundle> {
  return presentBundle(row, { activeId, callerRole: caller.role, size: await blobs.size(row.id) });
}
