// Kysely's SQLite dialect over node:sqlite, for the server's and the bot's stores.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteAdapter, SqliteDialect, type SqliteDatabase } from 'kysely';
import { LRUCache } from 'lru-cache';

export interface NodeSqliteOptions {
  /** In addition to the common ones, such as `cache_size = -65536`. */
  readonly pragmas?: readonly string[];
  /** Called after every statement that may have changed something. */
  readonly onWrite?: () => void;
}

type SqliteStatement = ReturnType<SqliteDatabase['prepare']>;

const PRAGMAS = ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on', 'busy_timeout = 5000'];
/** Prepared statements to keep; a program has far fewer. */
const STATEMENTS_KEPT = 500;

export class NodeSqliteDialect extends SqliteDialect {
  /** @param file opened at the first query, and closed with the Kysely instance. */
  constructor(file: string, options: NodeSqliteOptions = {}) {
    super({ database: async () => adapted(open(file, options), options) });
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/** SQLite supports schema changes in transactions: migrations run in one. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function open(file: string, { pragmas = [] }: NodeSqliteOptions): DatabaseSync {
  const database = new DatabaseSync(file);
  for (const pragma of [...PRAGMAS, ...pragmas]) database.exec(`pragma ${pragma}`);
  return database;
}

/** Adapts to the better-sqlite3 interface that kysely expects. */
function adapted(database: DatabaseSync, { onWrite = () => undefined }: NodeSqliteOptions): SqliteDatabase {
  const kept = new LRUCache<string, SqliteStatement>({ max: STATEMENTS_KEPT });
  return {
    close: () => database.close(),
    prepare(text) {
      // On a full disk, SQLite has rolled back itself; a second rollback would hide the cause.
      if (text === 'rollback' && !database.isTransaction) return NOTHING;
      // A deferred transaction fails if another process writes first.
      const sql = /^begin\b/i.test(text) ? 'begin immediate' : text;
      const known = kept.get(sql);
      if (known) return known;
      const statement = prepared(database.prepare(sql), /^\s*select\b/i.test(sql) ? null : onWrite);
      kept.set(sql, statement);
      return statement;
    },
  };
}

const NOTHING: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

function prepared(statement: StatementSync, onWrite: (() => void) | null): SqliteStatement {
  const then = <T>(work: () => T): T => {
    try {
      return work();
    } finally {
      onWrite?.();
    }
  };
  return {
    reader: statement.columns().length > 0,
    all: (values) => then(() => statement.all(...values.map(toInput))),
    run: (values) => then(() => statement.run(...values.map(toInput))),
    iterate: (values) => statement.iterate(...values.map(toInput)),
  };
}

/** @throws TypeError for values that SQLite would convert */
function toInput(value: unknown): SQLInputValue {
  const type = typeof value;
  if (
    value === null ||
    type === 'string' ||
    type === 'number' ||
    type === 'bigint' ||
    ArrayBuffer.isView(value)
  )
    return value as SQLInputValue;
  throw new TypeError(`SQLite cannot store a value of type ${type}`);
}
