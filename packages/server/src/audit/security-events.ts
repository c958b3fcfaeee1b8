// Audit entries of sign-ins, refusals and keys: the first ones in full, repetitions as a count, so that nobody can fill
// the log with repeated requests.
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { SYSTEM, type Actor, type Audit, type AuditAction } from './record.ts';

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
/** Different events that are logged individually within a window; beyond that they are only counted. */
const DIFFERENT = 100;
/** Events of one action that are logged individually within a window. */
const WRITTEN = 200;

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
  const counted = new Map<string, Counted>();
  const written = new Map<AuditAction, { readonly since: number; count: number }>();
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
    const { actor, action, description } = event;
    const key = JSON.stringify([action, actor.guid, actor.username, description]);
    const now = clock.now();
    const kept = counted.get(key);
    if (kept && isRecent(kept.since, now)) return kept;
    const many = counted.size >= DIFFERENT && !kept;
    const place = many ? restOf(action, now) : { event, since: now, seen: 0, over: kept?.over ?? 0 };
    if (!many) counted.set(key, place);
    return place;
  }

  /** One counter for all events beyond the limit. */
  function restOf(action: AuditAction, since: number): Counted {
    const rest = counted.get(action);
    if (rest) return rest;
    const event = { actor: SYSTEM, action, description: 'Others of this kind', each: 0 };
    const place = { event, since, seen: 0, over: 0 };
    counted.set(action, place);
    return place;
  }

  /** Whether another event of this action may be logged individually. */
  function mayWrite(action: AuditAction): boolean {
    const now = clock.now();
    const kept = written.get(action);
    const window = kept && isRecent(kept.since, now) ? kept : { since: now, count: 0 };
    written.set(action, window);
    window.count += 1;
    return window.count <= WRITTEN;
  }

  function takeOver(all: boolean): SecurityEvent[] {
    const now = clock.now();
    const events: SecurityEvent[] = [];
    for (const [key, { event, since, over }] of counted) {
      if (!all && isRecent(since, now)) continue;
      counted.delete(key);
      if (over > 0) events.push({ ...event, description: `${event.description}: ${over} more times` });
    }
    return events;
  }

  const flush = (all = false) => add(takeOver(all));
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();
  return {
    async record(event) {
      const place = placeOf(event);
      place.seen += 1;
      if (place.seen <= place.event.each && mayWrite(event.action)) await add([event]);
      else place.over += 1;
    },
    flush: () => flush(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush(true);
    },
  };
}

/** Not if the clock was set back since. */
function isRecent(since: number, now: number): boolean {
  return Math.abs(now - since) < WINDOW;
}
