// Delivers audit entries to external receivers, with a cursor in the database: each entry arrives at least once. One of
// several servers does it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError } from '../main/config/load-config.ts';
import type { Config } from '../main/config/settings.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { sentEntry, type SentEntry } from './entry.ts';
import { beginAuditCursor, entriesAfter, findAuditCursor, moveAuditCursor, newestAudit } from './store.ts';
import { createSyslogSender } from './syslog.ts';
import { createWebhookSender } from './webhook.ts';

export interface AuditSinks extends AsyncDisposable {
  /** Delivers pending entries now, unless a receiver is backing off; for tests and before a shutdown. */
  flush(): Promise<void>;
}

export interface Sink<Entry = SentEntry> {
  /** Of its cursor in the database. */
  readonly name: string;
  /** For the log: the setting and the host, as paths may be secret. */
  readonly label: string;
  readonly send: (entries: readonly Entry[]) => Promise<void>;
}

/** A stream of entries to deliver in order. */
export interface Feed<Entry> {
  /** Its name in the log, such as `audit entries`. */
  readonly what: string;
  readonly newest: (db: Executor) => Promise<number>;
  readonly after: (
    db: Storage['db'],
    id: number,
    limit: number,
  ) => Promise<readonly { readonly id: number; readonly entry: Entry }[]>;
  /** Called after a receiver accepted entries. */
  readonly moved?: () => Promise<void>;
}

const AUDIT: Feed<SentEntry> = {
  what: 'audit entries',
  newest: newestAudit,
  after: async (db, id, limit) =>
    (await entriesAfter(db, id, limit)).map((row) => ({ id: row.id, entry: sentEntry(row) })),
};

/** Entries of one message or connection, which is all that is held in memory. */
const BATCH = 100;
/** Bytes of a batch: half of what nginx and our bot accept. */
const BATCH_BYTES = 512 * 1024;
const LOOK_MS = 2000;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 300_000;
/** Time to deliver pending entries at a stop; the rest is delivered after the next start. */
const LAST_MS = 1000;
/** Time after which any server delivers what the one that does it has left: longer than a request may take. */
const LEFT_MS = 15_000;

/** @throws when a webhook has no secret. */
export function sinksOf(config: Config): Sink[] {
  const sinks: Sink[] = [];
  const syslog = config['Audit.Syslog'];
  if (syslog !== '')
    sinks.push({
      name: 'syslog',
      label: labelOf('Audit.Syslog', syslog),
      send: createSyslogSender(syslog),
    });
  const webhook = config['Audit.Webhook'];
  if (webhook === '') return sinks;
  const secret = config['Audit.WebhookSecret'];
  if (secret === '') throw new ConfigError('Audit.Webhook requires Audit.WebhookSecret');
  sinks.push({
    name: 'webhook',
    label: labelOf('Audit.Webhook', webhook),
    send: createWebhookSender(webhook, secret),
  });
  return sinks;
}

export const labelOf = (setting: string, address: string) => `${setting} at ${new URL(address).host}`;

interface Following {
  pause: number;
  /** Time before which nothing is sent. */
  notBefore: number;
  /** What another server has to deliver: the position of the receiver, and since when it is seen there. */
  left: { readonly at: number; readonly since: number } | null;
  running: Promise<void> | null;
}

interface SinkParts {
  readonly storage: Storage;
  readonly log: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Whether this server delivers; the only one always does. */
  readonly isFirst?: () => Promise<boolean>;
}

/** A new receiver starts with the newest entry. Failed deliveries are retried with growing pauses. */
export function startAuditSinks(parts: SinkParts, sinks: readonly Sink[]): AuditSinks {
  return startSinks(parts, AUDIT, sinks);
}

/** The same for any ordered feed. @param parts `every`: milliseconds between two polls */
export function startSinks<Entry>(
  parts: SinkParts & { readonly every?: number },
  feed: Feed<Entry>,
  sinks: readonly Sink<Entry>[],
): AuditSinks {
  const { storage, log, isFirst = async () => true, every = LOOK_MS } = parts;
  const { now = () => performance.now() } = parts;
  const following = new Map<Sink<Entry>, Following>();
  for (const sink of sinks)
    following.set(sink, { pause: FIRST_PAUSE_MS, notBefore: 0, left: null, running: null });
  let stopping = false;

  async function follow(sink: Sink<Entry>, state: Following): Promise<void> {
    try {
      for (;;) {
        const known = await findAuditCursor(storage.db, sink.name);
        const at = known ?? (await storage.write((tx) => beginAuditCursor(tx, sink.name, feed.newest)));
        const rows = stopping ? [] : withinLimit(await feed.after(storage.db, at, BATCH));
        const last = rows.at(-1);
        if (last === undefined || !(await isTurn(state, at))) break;
        await sink.send(rows.map(({ entry }) => entry));
        await storage.write((tx) => moveAuditCursor(tx, sink.name, at, last.id));
        if (state.pause > FIRST_PAUSE_MS) log.info('%s accepts %s again', sink.label, feed.what);
        state.pause = FIRST_PAUSE_MS;
        await feed.moved?.();
      }
    } catch (error) {
      log.warn(
        error,
        '%s wait: %s did not accept them; again in %d s',
        feed.what,
        sink.label,
        state.pause / 1000,
      );
      state.notBefore = now() + state.pause;
      state.pause = Math.min(state.pause * 2, MAX_PAUSE_MS);
    }
  }

  async function isTurn(state: Following, at: number): Promise<boolean> {
    if (await isFirst()) return true;
    if (state.left?.at !== at) state.left = { at, since: now() };
    return now() - state.left.since >= LEFT_MS;
  }

  function flush(): Promise<void> {
    const due = [...following].filter(([, { notBefore }]) => now() >= notBefore);
    const all = due.map(
      ([sink, state]) => (state.running ??= follow(sink, state).finally(() => (state.running = null))),
    );
    return Promise.all(all).then(() => undefined);
  }

  const timer = sinks.length > 0 ? setInterval(() => void flush(), every).unref() : undefined;
  if (sinks.length > 0) void flush();
  return {
    flush,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // A last attempt to deliver what is pending.
      await Promise.race([flush(), delay(LAST_MS, undefined, { ref: false })]);
      stopping = true;
      for (const { running } of following.values()) await running;
    },
  };
}

/** The first rows, up to the limit: a batch that its receiver refuses would never arrive. */
function withinLimit<Row extends { readonly entry: unknown }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex(({ entry }, at) => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return bytes > BATCH_BYTES && at > 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
