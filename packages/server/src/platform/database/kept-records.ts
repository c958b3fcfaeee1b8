// Caches records in memory until another server has written.
import { createRecent } from '../recent.ts';
import type { Storage } from './storage.ts';

export interface KeptRecords<Value extends object> {
  /**
   * The cached record, or the result of `read`, which is cached unless it is null or something was dropped meanwhile.
   */
  get(key: string, read: () => Promise<Value | null>): Promise<Value | null>;
  /** The last cached record, valid or not: for uses that tolerate stale data. */
  last(key: string): Value | undefined;
  drop(key: string): void;
  dropWhere(matches: (value: Value) => boolean): void;
}

interface Kept<Value> {
  readonly value: Value;
  readonly generation: number;
}

/** A read in progress. */
interface Reading<Value> {
  readonly value: Promise<Value | null>;
  readonly generation: number | null;
  readonly drops: number;
}

/**
 * This server must drop what it writes: over SQLite nobody else writes, so records stay until then.
 * @param replaced called with a value that was replaced by a newer one of the same key, or dropped (`by` is null)
 */
export function createKeptRecords<Value extends object>(
  { generationElsewhere }: Pick<Storage, 'generationElsewhere'>,
  { max, replaced }: { readonly max: number; readonly replaced?: (value: Value, by: Value | null) => void },
): KeptRecords<Value> {
  const kept = createRecent<Kept<Value>>(max);
  const reading = new Map<string, Reading<Value>>();
  let drops = 0;

  function discard(key: string, by: Value | null): void {
    const old = kept.peek(key);
    if (!kept.delete(key) || !old) return;
    replaced?.(old.value, by);
  }

  /** Concurrent callers with the same generation share one read. */
  function readOnce(key: string, generation: number | null, read: () => Promise<Value | null>) {
    const others = reading.get(key);
    if (generation !== null && others?.generation === generation && others.drops === drops)
      return others.value;
    const own: Reading<Value> = { generation, drops, value: read() };
    reading.set(key, own);
    const end = () => void (reading.get(key) === own && reading.delete(key));
    own.value.then(end, end);
    return own.value;
  }

  return {
    async get(key, read) {
      for (;;) {
        const generation = await generationElsewhere();
        const known = kept.get(key);
        if (known && known.generation === generation) return known.value;
        const begun = drops;
        const value = await readOnce(key, generation, read);
        // Something was dropped meanwhile: the result may be older than that.
        if (begun !== drops) continue;
        const isKept = value !== null && kept.peek(key)?.value === value;
        if (isKept) return value;
        if (known) discard(key, value);
        if (generation !== null && value !== null) kept.set(key, { value, generation });
        return value;
      }
    },
    last: (key) => kept.peek(key)?.value,
    drop(key) {
      drops += 1;
      discard(key, null);
    },
    dropWhere(matches) {
      drops += 1;
      for (const [key, { value }] of kept) if (matches(value)) discard(key, null);
    },
  };
}
