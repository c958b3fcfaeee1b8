// A bundle as its caller sees it, with the size of its file: zero when that is gone (contract, section 2, Bundle).
import type { Bundle } from '@pressroom/api';
import type { Caller } from '../sign-in/authenticator.ts';
import { presentBundle } from '../content/present.ts';
import type { Services } from '../main/services.ts';
import type { BundleRow } from './store.ts';

export async function showBundle(
  { blobs }: Services,
  row: BundleRow,
  activeId: number | null,
  caller: Caller,
): Promise<Bundle> {
  return presentBundle(row, { activeId, callerRole: caller.role, size: await blobs.size(row.id) });
}
