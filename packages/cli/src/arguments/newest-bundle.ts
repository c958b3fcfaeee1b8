// The newest of some bundles: servers list them in any order, and ids grow.
import type { Bundle } from '@pressroom/api/contract';
import { bundleNumber } from '@pressroom/api/publish';

export function newestOf(bundles: readonly Bundle[]): Bundle | undefined {
  return bundles.toSorted((a, b) => (bundleNumber(a.id) < bundleNumber(b.id) ? 1 : -1))[0];
}
