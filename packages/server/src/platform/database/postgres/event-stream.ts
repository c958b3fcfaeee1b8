// The connection by which a server knows what the others do: it listens to them, and asks whether anything was committed.
import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { EventListener, Events } from '../events.ts';
import { endedBetween, readSnapshot, type Snapshot } from './snapshot.ts';

export interface EventStream extends Events, AsyncDisposable {
  /**
   * A number that stays the same as long as nothing was committed to the database, whoever wrote; null while that is
   * not known. What was committed before the call counts, however late an event about it comes.
   */
  generation(): Promise<number | null>;
  /** The same without the transactions of which `ignore` was told. */
  generationElsewhere(): Promise<number | null>;
  /** The same as it was a moment ago, while it still counts; null otherwise. */
  recentElsewhere(): number | null;
  /** To be called before a transaction commits that changes nothing which anybody keeps. @param id pg_current_xact_id() */
  ignore(id: string): void;
}

interface Generations {
  readonly all: number;
  readonly elsewhere: number;
}

/** All who put it together share what it answers. */
interface Question {
  readonly all: Promise<number | null>;
  readonly elsewhere: Promise<number | null>;
}

const CHANNEL = 'pressroom';
/** Which transactions are over: two snapshots between which none ended see the same rows. And who answers. */
const SNAPSHOT = {
  name: 'snapshot',
  text: 'select pg_current_snapshot()::text, pg_backend_pid()',
  rowMode: 'array',
} as const;
const NOTIFY = `select pg_notify($1, event) from unnest($2::text[]) as event`;
/** How long an answer counts from when its question was put, for those who need not ask again. */
const RECENT_MS = 20;
/** Longer by what the clocks of two servers may differ within that time: then it counts at no server. */
export const SEEN_BY_ALL_MS = 30;
/** How long an answer may take before the connection counts as broken, and how often it is tried while nobody asks. */
const ANSWER_MS = 2000;
const PROBE_MS = 500;
/** Without an answer for so long, nothing that waits for one gets it. */
const SILENT_MS = 10_000;
/** Milliseconds until the next attempt to connect: twice as long each time. */
const RECONNECT_MS = { first: 100, longest: 1000 };

interface Faults {
  /** Told that the database does not answer for long, though nothing was closed. */
  readonly onSilent?: () => void;
  /** Told once that what listens is not what answers: a pooler between changed its mode since the start. */
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
  /** The process of PostgreSQL that listens. */
  let backend: number | null = null;
  let isSession = true;
  let askedAt: number | null = null;
  /** When the question was put that `now` answers. */
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
    // Ends what waits for an answer, too.
    void lost.end().catch(() => undefined);
    announce(null);
    void connect();
  }

  function open(): pg.Client {
    const opened = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: ANSWER_MS });
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
        // Reads files that the address names: they may be missing for a moment, too.
        opened = open();
        await opened.connect();
        await opened.query(limited(`listen ${CHANNEL}`, []));
        if (closing.signal.aborted) return await opened.end();
        client = opened;
        // What happened before is not told again.
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
    const asked = client;
    if (asked === null) return null;
    const putAt = performance.now();
    askedAt = putAt;
    try {
      const { rows } = await asked.query<[string, number]>(SNAPSHOT);
      if (client !== asked) return null;
      const [text = '', process = null] = rows[0] ?? [];
      backend ??= process;
      if (process !== backend) {
        if (isSession) onNoSession?.();
        isSession = false;
        lose(asked);
        return null;
      }
      compare(text);
      knownAt = putAt;
      return now;
    } catch {
      lose(asked);
      return null;
    } finally {
      askedAt = null;
    }
  }

  /** An answer counts only for those who asked before the question was put: all requests of one step put it together. */
  async function putNext(): Promise<Generations | null> {
    await last;
    await setImmediate();
    next = null;
    return serialize(ask);
  }

  /** One question at a time. @param work never rejects */
  function serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result;
    return result;
  }

  function question(): Question {
    if (next === null) {
      const answer = putNext();
      next = {
        all: answer.then((known) => known && known.all),
        elsewhere: answer.then((known) => known && known.elsewhere),
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
    else if (performance.now() - askedAt > ANSWER_MS) lose(client);
  }, PROBE_MS).unref();
  void connect();

  return {
    generation: () => question().all,
    generationElsewhere: () => question().elsewhere,
    recentElsewhere() {
      const age = performance.now() - knownAt;
      // Ahead of time: nobody waits for the answer as long as they keep asking.
      if (age > RECENT_MS / 2 && askedAt === null) void question();
      return age < RECENT_MS ? now.elsewhere : null;
    },
    // Without a snapshot, the next one is taken for a change whatever ended.
    ignore: (id) => void (snapshot && ignored.add(BigInt(id))),
    publish(event) {
      unsent.add(event);
      // What is published in one step goes together.
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

/** Fails when there is no answer within the time; the types of the driver do not know that a single query may say so. */
function limited(text: string, values: unknown[]): pg.QueryConfig & { query_timeout: number } {
  return { text, values, query_timeout: ANSWER_MS };
}
