// Who has shown no sign of life for long, by the observer's own clock: those of machines need not agree.

export interface FailureDetector {
  /**
   * To be called with the last sign of each, every time they were read. Answers those who are silent for too long. What
   * was not looked at regularly counts for nothing: the database was away, or the observer stood still itself.
   */
  look(signs: Iterable<readonly [name: string, sign: number]>): string[];
}

export interface FailureDetectorOptions {
  /** Milliseconds without a sign after which one counts as gone. */
  readonly lostMs: number;
  /** Longest time between two looks that belong together. */
  readonly gapMs: number;
  readonly now?: () => number;
}

export function createFailureDetector({
  lostMs,
  gapMs,
  now = () => performance.now(),
}: FailureDetectorOptions): FailureDetector {
  let known = new Map<string, { sign: number; since: number }>();
  let looked = -Infinity;
  return {
    look(signs) {
      const time = now();
      const before = time - looked > gapMs ? new Map<string, never>() : known;
      looked = time;
      known = new Map();
      const silent: string[] = [];
      for (const [name, sign] of signs) {
        const last = before.get(name);
        const since = last?.sign === sign ? last.since : time;
        known.set(name, { sign, since });
        if (time - since > lostMs) silent.push(name);
      }
      return silent;
    },
  };
}
