// Audit entries of sign-ins, refusals and keys: the first ones in full, repetitions as a count, so that nobody can fill
// the log with repeated requests.
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Actor, Audit, AuditAction } from './record.ts';

export interface SecurityEvent {
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly description: string;
  /** How often the same event may be logged individually within a window. */
  readonly each: number;
}

export interface SecurityEvents extends AsyncDisposable {
  /** Resolves once the event is logged or counted; a database failure is logged, not thrown. */
  record(event: SecurityEvent): Promise<void>;
  /** Logs the counts of windows that are over. */
  flush(): Promise<void>;
}

/** Length of a window in microseconds. */
const WINDOW = 60_000_000;
const FLUSH_MS = 60_000;
/**
 * Different events of one action and actor that are logged individually within a window; beyond that they are only
 * counted. Not of all together: whoever causes many must not hide those of others.
 */
const DIFFERENT = 100;
/** Events of one action and actor that are logged individually within a window. */
const WRITTEN = 200;
/** Describes the events beyond the limit. */
const REST = 'Others of this kind';

interface Counted {
  readonly event: SecurityEvent;
  readonly since: number;
  seen: number;
  /** Counted but not logged individually. */
  over: number;
}

export interface SecurityEventsOptions {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createSecurityEvents({ storage, audit, clock, log }: SecurityEventsOptions): SecurityEvents {
  /** By action and actor, then by event. */
  const counted = new Map<string, Map<string, Counted>>();
  const written = new Map<string, { readonly since: number; count: number }>();
  let waiting: SecurityEvent[] = [];
  let writing: Promise<void> | null = null;

  /** Events that arrive while the previous batch is written form the next batch: writers take turns. */
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await storage
          .write(async (tx) => {
            for (const { actor, action, description } of batch) await audit(tx, actor, action, description);
          }, 'audit')
          .catch((error: unknown) => log.error(error, 'writing to the audit log'));
      }
    } finally {
      // Set synchronously after the last check, so that no event is left waiting.
      writing = null;
    }
  }

  async function add(events: readonly SecurityEvent[]): Promise<void> {
    waiting.push(...events);
    if (waiting.length > 0) writing ??= write();
    await writing;
  }

  function placeOf(event: SecurityEvent): Counted {
    const { description } = event;
    const now = clock.now();
    const group = counted.get(groupOf(event)) ?? new Map<string, Counted>();
    counted.set(groupOf(event), group);
    const kept = group.get(description);
    if (kept && isRecent(kept.since, now)) return kept;
    const many = group.size >= DIFFERENT && !kept;
    const place = many ? restOf(group, event, now) : { event, since: now, seen: 0, over: kept?.over ?? 0 };
    if (!many) group.set(description, place);
    return place;
  }

  /** One counter for all events of a group beyond the limit. */
  function restOf(group: Map<string, Counted>, { actor, action }: SecurityEvent, since: number): Counted {
    const rest = group.get(REST);
    if (rest) return rest;
    const place = { event: { actor, action, description: REST, each: 0 }, since, seen: 0, over: 0 };
    group.set(REST, place);
    return place;
  }

  /** Whether another event of its action and actor may be logged individually. */
  function mayWrite(event: SecurityEvent): boolean {
    const now = clock.now();
    const kept = written.get(groupOf(event));
    const window = kept && isRecent(kept.since, now) ? kept : { since: now, count: 0 };
    written.set(groupOf(event), window);
    window.count += 1;
    return window.count <= WRITTEN;
  }

  function takeOver(all: boolean): SecurityEvent[] {
    const now = clock.now();
    const events: SecurityEvent[] = [];
    for (const [key, { since }] of written) if (!isRecent(since, now)) written.delete(key);
    for (const [key, group] of counted) {
      for (const [description, { event, since, over }] of group) {
        if (!all && isRecent(since, now)) continue;
        group.delete(description);
        if (over > 0) events.push({ ...event, description: `${description}: ${over} more times` });
      }
      if (group.size === 0) counted.delete(key);
    }
    return events;
  }

  const flush = (all = false) => add(takeOver(all));
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();
  return {
    async record(event) {
      const place = placeOf(event);
      place.seen += 1;
      if (place.seen <= place.event.each && mayWrite(event)) await add([event]);
      else place.over += 1;
    },
    flush: () => flush(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush(true);
    },
  };
}

function groupOf({ action, actor }: SecurityEvent): string {
  return `${action} ${actor.guid}`;
}

/** Not if the clock was set back since. */
function isRecent(since: number, now: number): boolean {
  return Math.abs(now - since) < WINDOW;
}
