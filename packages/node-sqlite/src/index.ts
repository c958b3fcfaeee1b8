// Kysely's SQLite dialect over node:sqlite. Knows nothing of the bot: it can move to a package of its own as it is.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { SqliteAdapter, SqliteDialect, type SqliteDatabase } from 'kysely';

export class NodeSqliteDialect extends SqliteDialect {
  /** @param database closed with the Kysely instance */
  constructor(database: DatabaseSync) {
    super({ database: adapted(database) });
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/** SQLite can change tables in a transaction: migrations run in one. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The form that kysely expects, of better-sqlite3. */
function adapted(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(text) {
      // A deferred transaction fails when another process writes before it does.
      const statement = database.prepare(/^begin\b/i.test(text) ? 'begin immediate' : text);
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...values.map(toInput)),
        run: (values) => statement.run(...values.map(toInput)),
        iterate: (values) => statement.iterate(...values.map(toInput)),
      };
    },
  };
}

/** @throws TypeError for what SQLite cannot store, before it would be stored as something else */
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
