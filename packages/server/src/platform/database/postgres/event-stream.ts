// The connection for changes by other servers: listens for events, and asks whether anything was committed.
import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { EventListener, Events } from '../events.ts';
import { endedBetween, readSnapshot, type Snapshot } from './snapshot.ts';

export interface EventStream extends Events, AsyncDisposable {
  /**
   * A number that is unchanged as long as nobody has committed anything; null while that is unknown. Includes
   * everything committed before the call, even if its event arrives later.
   */
  generation(): Promise<number | null>;
  /** The same without transactions passed to `ignore`. */
  generationElsewhere(): Promise<number | null>;
  /** The last result, while it is recent enough; null otherwise. */
  recentElsewhere(): number | null;
  /** To be called before the commit of a transaction that changes nothing cached. @param id pg_current_xact_id() */
  ignore(id: string): void;
}

interface Generations {
  readonly all: number;
  readonly elsewhere: number;
}

/** A query whose result concurrent callers share. */
interface Question {
  readonly all: Promise<number | null>;
  readonly elsewhere: Promise<number | null>;
}

const CHANNEL = 'pressroom';
/**
 * The transaction snapshot: if no transaction ended between two of them, they see the same rows. And the backend
 * process.
 */
const SNAPSHOT = {
  name: 'snapshot',
  text: 'select pg_current_snapshot()::text, pg_backend_pid()',
  rowMode: 'array',
} as const;
const NOTIFY = `select pg_notify($1, event) from unnest($2::text[]) as event`;
/** Milliseconds that a result counts as recent. */
const RECENT_MS = 20;
/** Plus the clock drift of two servers within that time: after this, it is recent on no server. */
export const SEEN_BY_ALL_MS = 30;
/** Milliseconds for a response before the connection counts as broken, and between probes while idle. */
const RESPONSE_MS = 2000;
const PROBE_MS = 500;
/** Milliseconds without a response after which all pending statements fail. */
const SILENT_MS = 10_000;
/** Milliseconds until the next connection attempt; doubled each time. */
const RECONNECT_MS = { first: 100, longest: 1000 };

interface Faults {
  /** Called when the database does not respond although connections are open. */
  readonly onSilent?: () => void;
  /** Called once if the listening session is not the queried one: a pooler changed its mode since the start. */
  readonly onNoSession?: () => void;
}

export function createEventStream(
  connectionString: string,
  { onSilent, onNoSession }: Faults = {},
): EventStream {
  const self = randomUUID();
  const listeners = new Set<EventListener>();
  const closing = new AbortController();
  const unsent = new Set<string>();
  let client: pg.Client | null = null;
  const ignored = new Set<bigint>();
  let now: Generations = { all: 0, elsewhere: 0 };
  let seen = '';
  let snapshot: Snapshot | null = null;
  /** The PostgreSQL process that listens. */
  let backend: number | null = null;
  let isSession = true;
  let askedAt: number | null = null;
  /** When the query for `now` was sent. */
  let knownAt = -Infinity;
  let last: Promise<unknown> = Promise.resolve();
  let next: Question | null = null;

  function announce(event: string | null): void {
    for (const listener of listeners) listener(event);
  }

  function lose(lost: pg.Client): void {
    if (client !== lost) return;
    client = null;
    snapshot = null;
    backend = null;
    ignored.clear();
    seen = '';
    knownAt = -Infinity;
    // Also rejects pending queries.
    void lost.end().catch(() => undefined);
    announce(null);
    void connect();
  }

  function open(): pg.Client {
    const opened = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: RESPONSE_MS });
    opened.on('error', () => lose(opened)).on('end', () => lose(opened));
    return opened.on('notification', ({ payload = '' }) => {
      if (payload.startsWith(self)) return;
      knownAt = -Infinity;
      announce(payload.slice(self.length + 1));
    });
  }

  async function connect(): Promise<void> {
    const since = performance.now();
    for (let pause = RECONNECT_MS.first; !closing.signal.aborted; pause *= 2) {
      let opened: pg.Client | null = null;
      try {
        // Reads files named in the address, which may be missing for a moment.
        opened = open();
        await opened.connect();
        await opened.query(limited(`listen ${CHANNEL}`, []));
        if (closing.signal.aborted) return await opened.end();
        client = opened;
        // Events before this are lost.
        announce(null);
        return await serialize(send);
      } catch {
        void opened?.end().catch(() => undefined);
        announce(null);
        if (performance.now() - since > SILENT_MS) onSilent?.();
        const ms = Math.min(pause, RECONNECT_MS.longest);
        await delay(ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      }
    }
  }

  function compare(text: string): void {
    if (text === seen) return;
    const after = readSnapshot(text);
    const ended = snapshot && endedBetween(snapshot, after);
    const isKnown = ended?.every((id) => ignored.has(id)) ?? false;
    const isSame = ended?.length === 0;
    now = { all: now.all + (isSame ? 0 : 1), elsewhere: now.elsewhere + (isKnown ? 0 : 1) };
    for (const id of ignored) if (id < after.end && !after.open.has(id)) ignored.delete(id);
    [seen, snapshot] = [text, after];
  }

  async function ask(): Promise<Generations | null> {
    const current = client;
    if (current === null) return null;
    const putAt = performance.now();
    askedAt = putAt;
    try {
      const { rows } = await current.query<[string, number]>(SNAPSHOT);
      if (client !== current) return null;
      const [text = '', process = null] = rows[0] ?? [];
      backend ??= process;
      if (process !== backend) {
        if (isSession) onNoSession?.();
        isSession = false;
        lose(current);
        return null;
      }
      compare(text);
      knownAt = putAt;
      return now;
    } catch {
      lose(current);
      return null;
    } finally {
      askedAt = null;
    }
  }

  /** A result counts only for callers before the query was sent: requests of one tick share it. */
  async function putNext(): Promise<Generations | null> {
    await last;
    await setImmediate();
    next = null;
    return serialize(ask);
  }

  /** One query at a time. @param work never rejects */
  function serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result;
    return result;
  }

  function question(): Question {
    if (next === null) {
      const response = putNext();
      next = {
        all: response.then((known) => known && known.all),
        elsewhere: response.then((known) => known && known.elsewhere),
      };
    }
    return next;
  }

  async function send(): Promise<void> {
    const sender = client;
    if (sender === null || unsent.size === 0) return;
    const events = [...unsent];
    unsent.clear();
    try {
      await sender.query(limited(NOTIFY, [CHANNEL, events.map((event) => `${self} ${event}`)]));
    } catch {
      for (const event of events) unsent.add(event);
      lose(sender);
    }
  }

  const probing = setInterval(() => {
    if (client === null) return;
    if (askedAt === null) void question();
    else if (performance.now() - askedAt > RESPONSE_MS) lose(client);
  }, PROBE_MS).unref();
  void connect();

  return {
    generation: () => question().all,
    generationElsewhere: () => question().elsewhere,
    recentElsewhere() {
      const age = performance.now() - knownAt;
      // Refreshed ahead of time: nobody waits while requests keep coming.
      if (age > RECENT_MS / 2 && askedAt === null) void question();
      return age < RECENT_MS ? now.elsewhere : null;
    },
    // Without a snapshot, the next one counts as a change anyway.
    ignore: (id) => void (snapshot && ignored.add(BigInt(id))),
    publish(event) {
      unsent.add(event);
      // Events of one tick are sent together.
      if (unsent.size === 1) void setImmediate().then(() => serialize(send));
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      await serialize(send);
      closing.abort();
      clearInterval(probing);
      const last = client;
      client = null;
      await last?.end().catch(() => undefined);
    },
  };
}

/** Fails after a timeout; the driver's types lack the per-query option. */
function limited(text: string, values: unknown[]): pg.QueryConfig & { query_timeout: number } {
  return { text, values, query_timeout: RESPONSE_MS };
}
