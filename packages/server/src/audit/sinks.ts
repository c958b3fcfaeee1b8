// Hands audit entries on to receivers outside: from the database by a cursor, so that each arrives at least once.
import type { Logger } from 'pino';
import type { Config } from '../main/config/settings.ts';
import type { Storage } from '../platform/database/storage.ts';
import { sentEntry, type SentEntry } from './entry.ts';
import { beginAuditCursor, entriesAfter, findAuditCursor, moveAuditCursor } from './store.ts';
import { createSyslogSender } from './syslog.ts';
import { createWebhookSender } from './webhook.ts';

export interface AuditSinks extends AsyncDisposable {
  /** Sends what there is now, unless a receiver is being waited for; for tests and for a quick hand-over. */
  flush(): Promise<void>;
}

export interface Sink {
  readonly name: string;
  readonly send: (entries: readonly SentEntry[]) => Promise<void>;
}

/** Entries of one message or connection: all that is held in memory. */
const BATCH = 100;
const LOOK_MS = 2000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;

/** @throws when a webhook has no secret. */
export function sinksOf(config: Config): Sink[] {
  const sinks: Sink[] = [];
  const syslog = config['Audit.Syslog'];
  if (syslog !== '') sinks.push({ name: 'syslog', send: createSyslogSender(syslog) });
  const webhook = config['Audit.Webhook'];
  if (webhook === '') return sinks;
  const secret = config['Audit.WebhookSecret'];
  if (secret === '') throw new Error('Audit.Webhook requires Audit.WebhookSecret');
  sinks.push({ name: 'webhook', send: createWebhookSender(webhook, secret) });
  return sinks;
}

interface Following {
  pause: number;
  /** Nothing is sent before. */
  notBefore: number;
  running: Promise<void> | null;
}

/** A receiver begins with what happens once it is set. One that fails is asked again after longer and longer pauses. */
export function startAuditSinks(
  { storage, log, now = Date.now }: { storage: Storage; log: Logger; now?: () => number },
  sinks: readonly Sink[],
): AuditSinks {
  const following = new Map<Sink, Following>();
  for (const sink of sinks) following.set(sink, { pause: FIRST_PAUSE_MS, notBefore: 0, running: null });
  let stopping = false;

  async function follow(sink: Sink, state: Following): Promise<void> {
    try {
      for (;;) {
        const known = await findAuditCursor(storage.db, sink.name);
        const at = known ?? (await storage.write((tx) => beginAuditCursor(tx, sink.name)));
        const rows = stopping ? [] : await entriesAfter(storage.db, at, BATCH);
        const last = rows.at(-1);
        if (last === undefined) break;
        await sink.send(rows.map(sentEntry));
        await storage.write((tx) => moveAuditCursor(tx, sink.name, at, last.id));
        state.pause = FIRST_PAUSE_MS;
      }
    } catch (error) {
      log.warn(
        error,
        'audit entries wait: %s cannot be reached; again in %d s',
        sink.name,
        state.pause / 1000,
      );
      state.notBefore = now() + state.pause;
      state.pause = Math.min(state.pause * 2, LONGEST_PAUSE_MS);
    }
  }

  function flush(): Promise<void> {
    const due = [...following].filter(([, { notBefore }]) => now() >= notBefore);
    const all = due.map(
      ([sink, state]) => (state.running ??= follow(sink, state).finally(() => (state.running = null))),
    );
    return Promise.all(all).then(() => undefined);
  }

  const timer = sinks.length > 0 ? setInterval(() => void flush(), LOOK_MS).unref() : undefined;
  if (sinks.length > 0) void flush();
  return {
    flush,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // The last ones, if they can be had at once.
      await flush();
      stopping = true;
      for (const { running } of following.values()) await running;
    },
  };
}
