// Inspects a PostgreSQL database without changing it.
import pg from 'pg';
import type { AuditHeadTable } from '../schema.ts';

export interface DatabaseServerState {
  readonly version: string;
  /** Such as 15. */
  readonly release: number;
  /** Its clock, in milliseconds. */
  readonly time: number;
  /** Such as UTF8. */
  readonly encoding: string;
  readonly user: string;
  /** Schema of its tables; null if search_path names none that the account may use. */
  readonly schema: string | null;
  /** Whether the account may create tables there. */
  readonly mayCreate: boolean;
  readonly isReadOnly: boolean;
  /** Whether connections are sessions; not behind a pooler in transaction mode. */
  readonly hasSessions: boolean;
  /** Maximum connections of the account, if nobody else had any. */
  readonly connections: number;
  /** Number of applied migrations. */
  readonly steps: number;
  /** Whether anybody has an account. */
  readonly hasPeople: boolean;
  readonly hasBundles: boolean;
}

/** Runs a statement on one connection. */
export type Ask = <Row>(statement: string) => Promise<Row[]>;

const CONNECT_MS = 10_000;
const STATE = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int / 10000 as release,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as time, current_setting('server_encoding') as encoding,
  current_user as user, current_schema() as schema, current_setting('transaction_read_only') = 'on' as "isReadOnly",
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "mayCreate",
  least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1), current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int) as connections,
  to_regclass('schema_migration') is not null as "isOurs"
  from pg_roles, pg_database where rolname = current_user and datname = current_database()`;

/** @throws if it cannot be connected to. */
async function look<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Addresses of the servers with a heartbeat since a time (microseconds).
 * @throws if it cannot be connected to.
 */
export function listServerAddresses(connectionString: string, since: number): Promise<string[]> {
  return look(connectionString, async (client) => {
    const { rows: tables } = await client.query<{ there: boolean }>(
      `select to_regclass('cluster_server') is not null as there`,
    );
    if (tables[0]?.there !== true) return [];
    const { rows } = await client.query<{ address: string }>(
      'select address from cluster_server where heartbeat > $1 order by address',
      [since],
    );
    return rows.map(({ address }) => address);
  });
}

/**
 * The end of the audit log; undefined if there is none yet.
 * @throws if it cannot be connected to.
 */
export function auditHeadOfServer(connectionString: string): Promise<AuditHeadTable | undefined> {
  return look(connectionString, async (client) => {
    const { rows: tables } = await client.query<{ there: boolean }>(
      `select to_regclass('audit_head') is not null as there`,
    );
    if (tables[0]?.there !== true) return undefined;
    const { rows } = await client.query<AuditHeadTable>("select * from audit_head where name = 'audit'");
    // bigint is returned as text.
    return rows[0] && { ...rows[0], seq: Number(rows[0].seq) };
  });
}

/** @throws if it cannot be connected to. */
export function inspectServer(connectionString: string): Promise<DatabaseServerState> {
  return look(connectionString, (one) =>
    look(connectionString, (other) => inspectSessions(asking(one), asking(other))),
  );
}

/** Inspects through two open connections. */
export async function inspectSessions(one: Ask, other: Ask): Promise<DatabaseServerState> {
  const [first, again] = [await backendOf(one), await backendOf(one)];
  const [second, secondAgain] = [await backendOf(other), await backendOf(other)];
  const [found] = await one<
    Omit<DatabaseServerState, 'hasSessions' | 'steps' | 'hasPeople' | 'hasBundles'> & { isOurs: boolean }
  >(STATE);
  if (!found) throw new Error('it does not say what it is');
  const { isOurs, ...state } = found;
  const [counted] = isOurs
    ? await one<{ steps: string; hasPeople: boolean; hasBundles: boolean }>(
        `select max(name) as steps, exists (select 1 from user_account) as "hasPeople",
        exists (select 1 from bundle) as "hasBundles" from schema_migration`,
      )
    : [];
  const hasSessions = first === again && second === secondAgain && first !== second;
  const { steps = 0, hasPeople = false, hasBundles = false } = counted ?? {};
  return { ...state, hasSessions, steps: Number(steps), hasPeople, hasBundles };
}

/** The PostgreSQL process of a connection. */
async function backendOf(ask: Ask): Promise<number | undefined> {
  const [row] = await ask<{ pid: number }>('select pg_backend_pid() as pid');
  return row?.pid;
}

function asking(client: pg.Client): Ask {
  return async <Row>(statement: string) => (await client.query<Row & pg.QueryResultRow>(statement)).rows;
}
