// Kysely over node:sqlite: one connection, handed out one holder at a time, with immediate transactions.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';

/** Prepared statements kept; the server's own queries are far fewer. */
const STATEMENTS_KEPT = 500;

export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => sqliteDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function sqliteDriver(file: string): Driver {
  let database: DatabaseSync | undefined;
  let connection: DatabaseConnection | undefined;
  let released: Promise<void> = Promise.resolve();
  let release: (() => void) | undefined;
  const run = (statement: string) => connection!.executeQuery(CompiledQuery.raw(statement));
  return {
    async init() {
      database = new DatabaseSync(file);
      for (const pragma of [
        'journal_mode = wal',
        'synchronous = full',
        'foreign_keys = on',
        'busy_timeout = 5000',
        'cache_size = -65536',
        'trusted_schema = off',
      ]) {
        database.exec(`pragma ${pragma}`);
      }
      connection = sqliteConnection(database);
    },
    async acquireConnection() {
      // A queue by chained promises: each holder waits for the one before.
      const before = released;
      let done!: () => void;
      released = new Promise((resolve) => (done = resolve));
      await before;
      release = done;
      return connection!;
    },
    async releaseConnection() {
      release?.();
    },
    async beginTransaction() {
      // Deferred transactions fail when another process writes in between.
      await run('begin immediate');
    },
    async commitTransaction() {
      await run('commit');
    },
    async rollbackTransaction() {
      await run('rollback');
    },
    async destroy() {
      database?.close();
    },
  };
}

function sqliteConnection(database: DatabaseSync): DatabaseConnection {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      if (statements.size >= STATEMENTS_KEPT) statements.clear();
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const statement = prepare(sql);
      const values = parameters as SQLInputValue[];
      if (statement.columns().length > 0) return { rows: statement.all(...values) as R[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    streamQuery() {
      throw new Error('streaming queries are not used');
    },
  };
}
