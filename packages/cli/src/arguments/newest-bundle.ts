// The newest of some bundles: servers list them in any order, and ids grow.
import type { Bundle } from '@pressroom/api/contract';

export function newestOf(bundles: readonly Bundle[]): Bundle | undefined {
  return bundles.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))[0];
}
