// Caches with a limit: what was used longest ago goes first.
import { LRUCache } from 'lru-cache';

/** @param ttl milliseconds that an entry lives */
export function createRecent<Value extends object | string | number | true>(
  most: number,
  { ttl }: { readonly ttl?: number } = {},
): LRUCache<string, Value> {
  // With `max` it would make room for all entries at once: 12 ms and 2.4 MB for each 100,000.
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1, ...(ttl !== undefined && { ttl }) });
}
