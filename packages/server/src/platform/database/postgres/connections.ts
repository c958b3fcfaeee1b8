// Connections to PostgreSQL that outlive a restart of it: whoever wants one waits for a while, and what is safe is repeated.
import { setTimeout as delay } from 'node:timers/promises';
import { errors } from '@pressroom/api/contract';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { errnoOf, messageOf } from '../../errors.ts';
import type { ConnectionCounts } from '../engine.ts';

export interface ConnectionOptions extends pg.PoolConfig {
  /** Milliseconds that a request waits for a connection. */
  readonly patience: number;
}

/**
 * What PostgreSQL does about a server that vanished without closing its connections: it finds out within seconds instead
 * of hours, and ends a transaction that nobody goes on with, whose locks hold up all others. Milliseconds, seconds.
 */
const SESSION = `set idle_in_transaction_session_timeout = 15000; set tcp_keepalives_idle = 5;
  set tcp_keepalives_interval = 2; set tcp_keepalives_count = 4; set tcp_user_timeout = 15000`;
const KEEP_ALIVE_MS = 5000;

const RETRY_MS = 100;
/** What a client is told to wait before it asks again. */
const RETRY_AFTER_SECONDS = 5;
/** Statements that each connection has prepared: the program's own are far fewer. */
const STATEMENTS_KEPT = 1000;
/** PostgreSQL stops, starts, recovers or has no connection left; and the network between. */
const LOST = /^(?:57P0[1-3]|25P03|08...|53300|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|ENOENT)$/;
const LOST_WORDS =
  /connection terminated|not queryable|timeout exceeded when trying to connect|timeout expired/i;

export interface Connections extends PostgresPool {
  counts(): ConnectionCounts;
  /** To be called when the database is known not to answer: what waits for an answer fails now. */
  breakAll(): void;
}

/** A pool for kysely. @throws ApiError 1 with status 503 when no connection can be had, or one is lost within a transaction */
export function createConnections({ patience, ...config }: ConnectionOptions): Connections {
  const open = new Set<pg.PoolClient>();
  const pool = new pg.Pool({
    ...config,
    connectionTimeoutMillis: patience,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    async onConnect(client) {
      await client.query(SESSION);
    },
  });
  pool.on('connect', (client) => void open.add(client)).on('remove', (client) => void open.delete(client));
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  // So would one that breaks between two statements of whoever has it: the next of them hears of it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const names = new LRUCache<string, string>({ max: STATEMENTS_KEPT });
  let named = 0;

  /**
   * A newer server may add a column meanwhile: a prepared statement that reads all of them then fails, which only outside
   * a transaction can be repeated.
   */
  function prepared(text: string, values: readonly unknown[], isWithin: boolean): pg.QueryConfig {
    if (values.length === 0 || (isWithin && text.includes('*'))) return { text, values: [...values] };
    let name = names.get(text);
    if (name === undefined) {
      named += 1;
      name = `s${named}`;
      names.set(text, name);
    }
    return { name, text, values: [...values] };
  }

  async function connect(): Promise<pg.PoolClient> {
    const deadline = performance.now() + patience;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isLost(error)) throw error;
        if (performance.now() + RETRY_MS > deadline) throw unavailable(error);
        await delay(RETRY_MS);
      }
    }
  }

  async function lend(): Promise<PostgresPoolClient> {
    let client: pg.PoolClient | null = await connect();
    let isWithin = false;

    async function query(text: string, values: readonly unknown[]) {
      // A transaction whose connection is lost is rolled back already.
      if (client === null) {
        if (text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] };
        client = await connect();
      }
      const result = await client.query<never>(prepared(text, values, isWithin));
      if (/^(?:begin|start)\b/.test(text)) isWithin = true;
      if (text === 'commit' || text === 'rollback') isWithin = false;
      return result;
    }

    async function queryAgain(text: string, values: readonly unknown[]) {
      for (;;) {
        try {
          return await query(text, values);
        } catch (error) {
          if (isOutdated(error) && !isWithin) {
            names.delete(text);
            continue;
          }
          if (!isLost(error)) throw error;
          client?.release(true);
          client = null;
          const isSafe = !isWithin && /^(?:select|begin|start)\b/.test(text);
          isWithin = false;
          if (!isSafe) throw unavailable(error);
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
    breakAll() {
      for (const client of open) socketOf(client)?.destroy(new Error('connection terminated: no answer'));
    },
    counts: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

/** The types of the driver do not show it. */
function socketOf(client: pg.PoolClient): { destroy(error: Error): unknown } | undefined {
  const { connection } = client as { connection?: { stream?: { destroy(error: Error): unknown } } };
  return connection?.stream;
}

function isLost(error: unknown): boolean {
  return LOST.test(errnoOf(error) ?? '') || LOST_WORDS.test(messageOf(error));
}

/** Nothing was done yet. */
function isOutdated(error: unknown): boolean {
  return errnoOf(error) === '0A000' && messageOf(error).includes('cached plan');
}

function unavailable(cause: unknown): Error {
  return errors.internal({
    message: 'The database cannot be reached. Try again in a moment.',
    status: 503,
    retryAfter: RETRY_AFTER_SECONDS,
    cause,
  });
}
