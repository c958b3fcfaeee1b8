// Detects members without a heartbeat, by the observer's own clock: clocks of machines may differ.

export interface FailureDetector {
  /**
   * To be called with the last heartbeat of each member whenever they were read. Returns those that are lost. Irregular
   * calls do not count: the database was away, or the observer itself was paused.
   */
  look(signs: Iterable<readonly [name: string, sign: number]>): string[];
}

export interface FailureDetectorOptions {
  /** Milliseconds without a heartbeat after which a member is lost. */
  readonly lostMs: number;
  /** Maximum milliseconds between two consecutive calls. */
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
