// Names of prepared statements. Each connection keeps them until it is closed: their number must have a limit.
import type pg from 'pg';

export interface PreparedStatements {
  /** @param isWithin whether it is part of a transaction, which a failure would end */
  of(text: string, values: readonly unknown[], isWithin: boolean): pg.QueryConfig;
  /** To be called when connections have it prepared for an earlier schema. */
  renew(text: string): void;
  /** Sets the columns of all tables in this version of the schema. */
  know(columns: ReadonlyMap<string, readonly string[]>): void;
}

interface Prepared {
  readonly name: string;
  readonly text: string;
  /** Whether its columns change when a newer server adds one: prepared statements fail then. */
  readonly isOpen: boolean;
}

/** The first ones; the server's own are far fewer. Each takes up to 40 kB of a connection. */
const MAX_STATEMENTS = 1000;
/** A list of values of another length is another statement. */
const MAX_VALUES = 32;
const FROM_ONE = /^select \* (?=from "(\w+)"(?!.* join ))/s;
const RETURNING = /^(?:insert into|update|delete from) "(\w+)".* returning \*$/s;
const OF_TABLE = /"(\w+)"\.\*/g;
/** Except in `count(*)`. */
const ANY_COLUMNS = /(?<!\()\*/;

export function createPreparedStatements(): PreparedStatements {
  const kept = new Map<string, Prepared>();
  let tables: ReadonlyMap<string, readonly string[]> = new Map();
  let named = 0;

  function listOf(table: string | undefined, before = ''): string | undefined {
    return tables
      .get(table ?? '')
      ?.map((column) => `${before}"${column}"`)
      .join(', ');
  }

  /** With the names of all columns, so that additional columns do not matter. */
  function spelled(text: string): string {
    const all = listOf(FROM_ONE.exec(text)?.[1]);
    if (all !== undefined) return text.replace('*', () => all);
    const returned = listOf(RETURNING.exec(text)?.[1]);
    if (returned !== undefined) return text.replace(/\*$/, () => returned);
    return text.replaceAll(OF_TABLE, (found, table: string) => listOf(table, `"${table}".`) ?? found);
  }

  function prepare(text: string): Prepared {
    named += 1;
    const complete = spelled(text);
    const prepared = { name: `s${named}`, text: complete, isOpen: ANY_COLUMNS.test(complete) };
    kept.set(text, prepared);
    return prepared;
  }

  return {
    of(text, values, isWithin) {
      const plain = { text, values: [...values] };
      if (values.length === 0 || values.length > MAX_VALUES) return plain;
      if (!kept.has(text) && kept.size === MAX_STATEMENTS) return plain;
      const { name, text: complete, isOpen } = kept.get(text) ?? prepare(text);
      return isWithin && isOpen ? plain : { ...plain, name, text: complete };
    },
    renew: (text) => void kept.delete(text),
    know(columns) {
      tables = columns;
      kept.clear();
    },
  };
}
