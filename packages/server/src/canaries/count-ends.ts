// Counts crashes and failed starts of processes, for a canary and the live bundle.
import type { Database } from '../platform/database/storage.ts';
import type { CanaryCounter } from './counter.ts';
import { findOpenCanary } from './store.ts';

interface Ended {
  readonly contentGuid: string;
  readonly bundleId: number;
}

export function createEndCounter(
  db: Database,
  counter: CanaryCounter,
): (ended: Ended, what: 'crashes' | 'failed_starts') => Promise<void> {
  return async ({ contentGuid, bundleId }, what) => {
    const canary = await findOpenCanary(db, contentGuid);
    if (!canary) return;
    // A bundle that was live before both, and drains its last visitors, counts for neither.
    if (bundleId === canary.bundle_id) counter.incident(canary.id, 'canary', what);
    else if (bundleId === canary.live_bundle) counter.incident(canary.id, 'live', what);
  };
}
