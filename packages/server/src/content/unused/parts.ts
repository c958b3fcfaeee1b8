// Dependencies of the question about unused content, and its period.
import type { Config } from '../../main/config/settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Storage } from '../../platform/database/storage.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Content without use since this time is unused; null if the setting is off. Bounded by how long usage is kept. */
export function unusedBefore({ config, clock }: Pick<Parts, 'config' | 'clock'>): Micros | null {
  const { 'Usage.UnusedAfter': after, 'Usage.Retention': kept } = config;
  if (after === 0) return null;
  return clock.now() - (kept === 0 ? after : Math.min(after, kept)) * 1_000_000;
}
