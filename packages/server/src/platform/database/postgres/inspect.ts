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
export async function inspectServer(connectionString: string): Promise<DatabaseServerState> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
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
  } finally {
    await client.end().catch(() => undefined);
  }
}
