// Counts what visitors of a canary and of what is live beside it get, in memory; written down once a second.
import { addTime, noFigures, type MutableFigures } from './figures.ts';
import type { CanarySide, CountedFigures } from './store.ts';

export interface Counted {
  readonly status: number;
  /** Milliseconds; null where a process had to start first, which the other side had done already. */
  readonly ms: number | null;
  /** Whether a browser opened a page. */
  readonly isPage: boolean;
}

export type Incident = 'script_errors' | 'crashes' | 'failed_starts' | 'health_checks' | 'health_failures';

export interface CanaryCounter {
  /** A request that was answered. */
  answered(canaryId: number, side: CanarySide, counted: Counted): void;
  incident(canaryId: number, side: CanarySide, what: Incident): void;
  /** Writes down what changed. Whatever fails is written the next time. */
  flush(): Promise<void>;
  /** Whether anything is to be written. */
  readonly isDirty: boolean;
  /** What has ended need not be kept, once it is written down. @param open ids of those that have not */
  forgetAllBut(open: ReadonlySet<number>): void;
}

interface Entry {
  readonly source: string;
  readonly canaryId: number;
  readonly side: CanarySide;
  readonly figures: MutableFigures;
  isDirty: boolean;
}

/**
 * @param save writes rows in place of those of the same source and side; what it throws, `flush` does
 * @param server names this one from its start on: what it counted before stays as it is
 */
export function createCanaryCounter(
  save: (rows: readonly CountedFigures[]) => Promise<void>,
  server: string,
): CanaryCounter {
  const entries = new Map<string, Entry>();
  let made = 0;

  function entryOf(canaryId: number, side: CanarySide): Entry {
    const key = `${canaryId} ${side}`;
    let known = entries.get(key);
    if (!known) {
      // What comes late, after the others were forgotten, is added to them and takes no place of theirs.
      const source = `${server} ${(made += 1)}`;
      entries.set(key, (known = { source, canaryId, side, figures: noFigures(), isDirty: false }));
    }
    known.isDirty = true;
    return known;
  }

  return {
    answered(canaryId, side, { status, ms, isPage }) {
      const { figures } = entryOf(canaryId, side);
      figures.requests += 1;
      if (status >= 500) figures.errors += 1;
      else if (isPage) figures.pages += 1;
      if (ms !== null) addTime(figures, ms);
    },
    incident(canaryId, side, what) {
      entryOf(canaryId, side).figures[what] += 1;
    },
    get isDirty() {
      return [...entries.values()].some(({ isDirty }) => isDirty);
    },
    async flush() {
      const dirty = [...entries.values()].filter(({ isDirty }) => isDirty);
      if (dirty.length === 0) return;
      for (const entry of dirty) entry.isDirty = false;
      const rows = dirty.map(({ source, canaryId: canary_id, side, figures }) => ({
        canary_id,
        source,
        side,
        figures: JSON.stringify(figures),
      }));
      try {
        await save(rows);
      } catch (error) {
        for (const entry of dirty) entry.isDirty = true;
        throw error;
      }
    },
    forgetAllBut(open) {
      for (const [key, { canaryId, isDirty }] of entries)
        if (!open.has(canaryId) && !isDirty) entries.delete(key);
    },
  };
}
