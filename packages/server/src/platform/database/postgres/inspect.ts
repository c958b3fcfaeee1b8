// A look at a PostgreSQL database without changing it.
import pg from 'pg';

export interface DatabaseServerState {
  readonly version: string;
  /** Such as UTF8. */
  readonly encoding: string;
  /** Whether the account may make tables. */
  readonly mayCreate: boolean;
  /** Number of the newest migration that it has gone through. */
  readonly steps: number;
}

const CONNECT_MS = 10_000;
const STATE = `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
  has_schema_privilege(current_schema(), 'CREATE') as may, to_regclass('schema_migration') is not null as "isOurs"`;

/** @throws when it cannot be connected to. */
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
 * Addresses of the servers that have shown a sign of life since a time (microseconds).
 * @throws when it cannot be connected to.
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

/** @throws when it cannot be connected to. */
export function inspectServer(connectionString: string): Promise<DatabaseServerState> {
  return look(connectionString, async (client) => {
    const { rows } = await client.query<{
      version: string;
      encoding: string;
      may: boolean;
      isOurs: boolean;
    }>(STATE);
    const [found] = rows;
    if (!found) throw new Error('it does not say what it is');
    const counted = found.isOurs
      ? await client.query<{ steps: string }>('select max(name) as steps from schema_migration')
      : null;
    const { version, encoding, may: mayCreate } = found;
    return { version, encoding, mayCreate, steps: Number(counted?.rows[0]?.steps ?? 0) };
  });
}
