// A PostgreSQL connection pool that survives restarts of the database: callers wait for a while, and safe statements
// are repeated.
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { errnoOf, messageOf } from '../../errors.ts';
import type { ConnectionCounts } from '../engine.ts';
import { unansweredIn } from '../unanswered.ts';
import { DatabaseUnreachable } from '../unreachable.ts';
import { createPreparedStatements, type PreparedStatements } from './prepared-statements.ts';
import { followWrites } from './unnoticed-writes.ts';

export interface ConnectionOptions extends pg.PoolConfig {
  /** Milliseconds that a request waits for a connection. */
  readonly patience: number;
  /** Called before the commit of a transaction that changes nothing cached, with its number. */
  readonly onUnnoticed: (transaction: string) => void;
  /** Called once when connections are lost, or refused after one worked. */
  readonly onLost: (error: unknown) => void;
  /** Called when the database answers again. */
  readonly onBack: () => void;
}

/**
 * Session settings: PostgreSQL detects a vanished client within seconds instead of hours, and ends idle transactions,
 * whose locks block others. Statements that wait for a lock or change a large table have no time limit, whatever the
 * account's limits. A query is planned for one process, as starting others takes longer than most queries, and for pages
 * that are in memory or on an SSD. Milliseconds, seconds.
 */
const SESSION = `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 15000; set tcp_keepalives_idle = 5;
  set tcp_keepalives_interval = 2; set tcp_keepalives_count = 4; set tcp_user_timeout = 15000;
  set max_parallel_workers_per_gather = 0; set random_page_cost = 1.1`;
const KEEP_ALIVE_MS = 5000;

const RETRY_MS = 100;
/** Milliseconds for a last connection attempt when hurrying, after all have waited long enough. */
const LAST_TRY_MS = 1000;
const BEGIN = /^(?:begin|start)\b/;
const END = /^(?:commit|rollback)$/;
/** Returns no rows. */
const LOCK = /^select pg_advisory_xact_lock/;
/** Error codes: PostgreSQL stops, starts, recovers, closes idle connections or has none left; and network errors. */
const LOST = /^(?:57P0[1-35]|25P03|08...|53300|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|ENOENT)$/;
const LOST_WORDS =
  /connection terminated|not queryable|timeout exceeded when trying to connect|timeout expired/i;

export interface Connections extends PostgresPool, Pick<PreparedStatements, 'know'> {
  counts(): ConnectionCounts;
  /** Storage.hurry */
  hurry(): void;
  /** To be called once the database is known not to respond: pending statements fail now. */
  breakAll(): void;
}

/**
 * A pool for kysely. @throws ApiError 1 with status 503 if no connection is available, or one is lost within a
 * transaction
 */
export function createConnections({
  patience,
  onUnnoticed,
  onLost,
  onBack,
  ...config
}: ConnectionOptions): Connections {
  const open = new Set<pg.PoolClient>();
  // Statements are pipelined.
  const pipelined = { ...config, pipeline: true };
  const pool = new pg.Pool({
    ...pipelined,
    connectionTimeoutMillis: patience,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    async onConnect(client) {
      await client.query(SESSION);
    },
  });
  pool.on('connect', (client) => void open.add(client)).on('remove', (client) => void open.delete(client));
  // A broken idle connection is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  // The same for one that breaks between two statements: the next one gets the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const statements = createPreparedStatements();
  /** Time after which nobody waits for an unreachable database. */
  let latest = Infinity;
  /** A start reports itself why it fails. */
  let state: 'new' | 'up' | 'lost' = 'new';

  function lost(error: unknown): void {
    if (state !== 'up') return;
    state = 'lost';
    onLost(error);
  }

  /** @param before the state when the statement was sent: others may still be answered while connections break */
  function answered(before: typeof state): void {
    if (state === 'up' || state !== before) return;
    state = 'up';
    if (before === 'lost') onBack();
  }

  /** @throws if there is none in time */
  async function connectNow(): Promise<pg.PoolClient> {
    if (latest === Infinity) return pool.connect();
    const late = new AbortController();
    const connecting = pool.connect();
    const left = Math.max(latest - performance.now(), LAST_TRY_MS);
    const giveUp = delay(left, null, { signal: late.signal, ref: false }).catch(() => null);
    const client = await Promise.race([connecting, giveUp]).finally(() => late.abort());
    if (client !== null) return client;
    connecting.then(
      (unwanted) => unwanted.release(),
      () => undefined,
    );
    throw new Error('timeout exceeded when trying to connect');
  }

  async function connect(): Promise<pg.PoolClient> {
    const deadline = performance.now() + patience;
    for (;;) {
      try {
        return await connectNow();
      } catch (error) {
        if (!isLost(error)) throw error;
        lost(error);
        if (performance.now() + RETRY_MS > Math.min(deadline, latest)) throw new DatabaseUnreachable(error);
        await delay(RETRY_MS);
      }
    }
  }

  async function lend(): Promise<PostgresPoolClient> {
    let client: pg.PoolClient | null = await connect();
    let isWithin = false;
    /** `begin` and the lock: sent together with the first statement. */
    let opening: pg.QueryConfig[] = [];
    /** Statements sent without waiting: a failure surfaces at the next statement. */
    let unheard: Promise<unknown>[] = [];
    let writes = followWrites();

    async function queryAgain(asIs: string, values: readonly unknown[]) {
      const unanswered = unansweredIn(asIs);
      if (unanswered !== null && isWithin && client !== null && opening.length === 0) {
        writeTogether(client);
        writes.next(client, unanswered);
        const sent = client.query(statements.of(unanswered, values, true));
        sent.catch(() => undefined);
        unheard.push(sent);
        return answerOf('INSERT');
      }
      const text = unanswered ?? asIs;
      if (BEGIN.test(text)) {
        isWithin = true;
        writes = followWrites();
        opening = [{ text }];
        return answerOf('BEGIN');
      }
      if (opening.length > 0 && LOCK.test(text)) {
        opening.push(statements.of(text, values, true));
        return answerOf('SELECT');
      }
      const before = opening;
      opening = [];
      // Before a rollback, failures do not matter.
      const sentBefore = text === 'rollback' ? [] : unheard;
      unheard = [];
      if (END.test(text) && (before.length > 0 || (client === null && text === 'rollback'))) {
        // Nothing was sent, or the connection is lost, which rolls back.
        isWithin = false;
        return answerOf(text.toUpperCase());
      }
      const unnoticed = text === 'commit' ? writes.unnoticed() : null;
      if (unnoticed !== null) onUnnoticed(unnoticed);
      // Nothing was committed: a transaction that has only begun may be repeated.
      const isSafe = before.length > 0 || (!isWithin && /^select\b/.test(text));
      for (;;) {
        client ??= await connect();
        const lent = client;
        const stateBefore = state;
        try {
          writeTogether(lent);
          const first = before.map((statement) => lent.query(statement));
          if (isWithin && !END.test(text)) writes.next(lent, text);
          const query = lent.query<never>(statements.of(text, values, isWithin));
          const [result] = await Promise.all([query, ...first, ...sentBefore]);
          answered(stateBefore);
          if (END.test(text)) isWithin = false;
          return result;
        } catch (error) {
          if (isOutdated(error) && !isWithin) {
            statements.renew(text);
            continue;
          }
          if (!isLost(error)) throw error;
          lost(error);
          if (client === lent) {
            lent.release(true);
            client = null;
          }
          writes = followWrites();
          if (isSafe) continue;
          isWithin = false;
          throw new DatabaseUnreachable(error);
        }
      }
    }

    return {
      query: queryAgain as unknown as PostgresPoolClient['query'],
      release(discard) {
        client?.release(discard);
        client = null;
      },
    };
  }

  return {
    connect: lend,
    end: () => pool.end(),
    options: {},
    hurry() {
      latest = Math.min(latest, performance.now() + patience);
    },
    breakAll() {
      for (const client of open) socketOf(client)?.destroy(new Error('connection terminated: no response'));
    },
    know: statements.know,
    counts: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

/** Missing in the driver's types. */
function socketOf(client: pg.PoolClient): Duplex | undefined {
  const { connection } = client as { connection?: { stream?: Duplex } };
  return connection?.stream;
}

/** Statements of one tick are written in one chunk: each write costs as much as the statement in it. */
function writeTogether(client: pg.PoolClient): void {
  const socket = socketOf(client);
  if (!socket || socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** The result of a statement that is not sent. */
function answerOf(command: string) {
  return { command, rowCount: 0, rows: [] };
}

function isLost(error: unknown): boolean {
  return LOST.test(errnoOf(error) ?? '') || LOST_WORDS.test(messageOf(error));
}

/** Nothing was executed yet. */
function isOutdated(error: unknown): boolean {
  return errnoOf(error) === '0A000' && messageOf(error).includes('cached plan');
}
