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

/** @param onWrite is called after every statement that may have changed something. */
export function sqliteDialect(file: string, onWrite: () => void): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => sqliteDriver(file, onWrite),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function sqliteDriver(file: string, onWrite: () => void): Driver {
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
      connection = sqliteConnection(database, onWrite);
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
      // Where the disk is full, SQLite has done so itself; the cause must not be hidden by saying so.
      if (database!.isTransaction) await run('rollback');
    },
    async destroy() {
      database?.close();
    },
  };
}

interface Prepared {
  readonly statement: StatementSync;
  readonly answersRows: boolean;
  readonly reads: boolean;
}

function sqliteConnection(database: DatabaseSync, onWrite: () => void): DatabaseConnection {
  const kept = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    let prepared = kept.get(sql);
    if (!prepared) {
      if (kept.size >= STATEMENTS_KEPT) kept.clear();
      const statement = database.prepare(sql);
      prepared = { statement, answersRows: statement.columns().length > 0, reads: /^\s*select\b/i.test(sql) };
      kept.set(sql, prepared);
    }
    return prepared;
  };
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { statement, answersRows, reads } = prepare(sql);
      const values = parameters as SQLInputValue[];
      try {
        if (answersRows) return { rows: statement.all(...values) as R[] };
        const { changes, lastInsertRowid } = statement.run(...values);
        return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
      } finally {
        if (!reads) onWrite();
      }
    },
    streamQuery() {
      throw new Error('streaming queries are not used');
    },
  };
}
