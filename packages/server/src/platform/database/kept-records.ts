// Records kept in memory, as long as no other server has written since they were read.
import { LRUCache } from 'lru-cache';
import type { Storage } from './storage.ts';

export interface KeptRecords<Value extends object> {
  /** What is kept, or what `read` answers; that is kept unless it is null or something was dropped meanwhile. */
  get(key: string, read: () => Promise<Value | null>): Promise<Value | null>;
  /** What was kept last, whether it still counts or not: for what need not be exact. */
  last(key: string): Value | undefined;
  drop(key: string): void;
  dropWhere(matches: (value: Value) => boolean): void;
}

interface Kept<Value> {
  readonly value: Value;
  readonly generation: number;
}

/** What somebody reads. */
interface Reading<Value> {
  readonly value: Promise<Value | null>;
  readonly generation: number | null;
  readonly drops: number;
}

/**
 * Whatever this server writes it must drop here: over SQLite nobody else writes, so that a record is kept until then.
 * @param replaced is told what made room for a newer value of the same key, or was dropped (`by` is null then)
 */
export function createKeptRecords<Value extends object>(
  { generationElsewhere }: Pick<Storage, 'generationElsewhere'>,
  { max, replaced }: { readonly max: number; readonly replaced?: (value: Value, by: Value | null) => void },
): KeptRecords<Value> {
  const kept = new LRUCache<string, Kept<Value>>({ max });
  const reading = new Map<string, Reading<Value>>();
  let drops = 0;

  function discard(key: string, by: Value | null): void {
    const old = kept.peek(key);
    if (!kept.delete(key) || !old) return;
    replaced?.(old.value, by);
  }

  /** What is read by somebody who got the same answer is no older than that: all who wait share it. */
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
        // Something was taken back meanwhile: what was read may be older than that.
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
