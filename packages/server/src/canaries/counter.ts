// Counts requests to a canary and to the live bundle in memory; saved once a second.
import { addTime, noFigures, type MutableFigures } from './figures.ts';
import type { CanarySide, CountedFigures } from './store.ts';

export interface Counted {
  readonly status: number;
  /** Milliseconds; null if a process had to start first, which would be unfair to that side. */
  readonly ms: number | null;
  /** Whether a browser opened a page. */
  readonly isPage: boolean;
}

export type Incident = 'script_errors' | 'crashes' | 'failed_starts' | 'health_checks' | 'health_failures';

export interface CanaryCounter {
  /** Counts an answered request. */
  answered(canaryId: number, side: CanarySide, counted: Counted): void;
  incident(canaryId: number, side: CanarySide, what: Incident): void;
  /** Saves changes. What fails is saved the next time. */
  flush(): Promise<void>;
  /** Whether there are unsaved changes. */
  readonly isDirty: boolean;
  /** Drops canaries that have ended, once saved. @param open ids of the others */
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
 * @param save replaces the rows of the same source and side; `flush` passes its errors on
 * @param server identifies this run of the server: figures of earlier runs stay as they are
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
      // Late counts, after a canary was dropped, are added under a new source and overwrite nothing.
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
      const { figures } = entryOf(canaryId, side);
      // Browsers send them: more than one for each opened page are not believed.
      if (what === 'script_errors' && figures.script_errors >= figures.pages) return;
      figures[what] += 1;
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
