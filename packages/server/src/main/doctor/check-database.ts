// The database: whether it can be opened, is whole, and was not written by a newer version. Nothing is changed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { MIGRATIONS } from '../../platform/database/migrations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Config } from '../config/settings.ts';
import { bad, good, type Finding } from './finding.ts';

const WHAT = 'Database';
const CONNECT_MS = 10_000;
const RESTORE = 'Stop the server and restore a backup: npm run restore -- FILE.';
const STEPS = 'select count(*) as steps from schema_migration';

/** @param dataDir absolute */
export async function checkDatabase(config: Config, dataDir: string): Promise<Finding> {
  const url = config['Database.URL'];
  return url === '' ? checkFile(join(dataDir, 'pressroom.sqlite')) : await checkServer(url);
}

function checkFile(file: string): Finding {
  if (!existsSync(file)) return good(WHAT, `SQLite; ${file} will be made`);
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const [check] = database.prepare('pragma quick_check(1)').all();
    if (check?.['quick_check'] !== 'ok') return bad(WHAT, `${file} is damaged`, RESTORE);
    const tables = database.prepare("select 1 from sqlite_schema where name = 'schema_migration'").all();
    const [counted] = tables.length === 0 ? [] : database.prepare(STEPS).all();
    return ofVersion(Number(counted?.['steps'] ?? 0), `SQLite, ${file}`);
  } catch (error) {
    const isDamaged = /not a database|malformed/.test(messageOf(error));
    const mend = isDamaged ? RESTORE : 'Run this as the account that starts the server.';
    return bad(WHAT, `${file}: ${messageOf(error)}`, mend);
  }
}

async function checkServer(connectionString: string): Promise<Finding> {
  // Neither the password nor the rest of the address is printed.
  const { host } = new URL(connectionString);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{
      version: string;
      encoding: string;
      may: boolean;
      table: string | null;
    }>(
      `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
        has_schema_privilege(current_schema(), 'CREATE') as may, to_regclass('schema_migration')::text as "table"`,
    );
    const [found] = rows;
    if (!found?.may)
      return bad(
        WHAT,
        'the account may not make tables',
        'Make it the owner of the database: alter database … owner to …',
      );
    if (found.encoding !== 'UTF8')
      return bad(WHAT, `the encoding is ${found.encoding}`, "Make the database with encoding 'UTF8'.");
    const counted = found.table === null ? null : await client.query<{ steps: string }>(STEPS);
    return ofVersion(Number(counted?.rows[0]?.steps ?? 0), `PostgreSQL ${found.version} at ${host}`);
  } catch (error) {
    const mend =
      'Check that it runs, that Database.URL is right, and that this machine may connect (pg_hba.conf).';
    return bad(WHAT, `PostgreSQL at ${host}: ${messageOf(error)}`, mend);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function ofVersion(steps: number, says: string): Finding {
  if (steps > MIGRATIONS.length)
    return bad(
      WHAT,
      `${says}: it was written by a newer version`,
      'Start that version, or restore a backup of this one.',
    );
  const left = MIGRATIONS.length - steps;
  return good(WHAT, steps > 0 && left > 0 ? `${says}; the next start brings it up to date` : says);
}
