// Keyset pages over ascending rows: from a cursor in either direction, or from either end.
import { sql, type SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';

/** A position between rows: a time (if rows are ordered by one) and an id. */
export interface Cursor {
  readonly time: number;
  readonly id: number;
}

export interface KeysetRequest {
  readonly limit: number;
  readonly ascending: boolean;
  /** Rows after or before the cursor, or at an end of the listing. */
  readonly from:
    | { readonly at: 'start' }
    | { readonly at: 'end' }
    | { readonly at: 'after' | 'before'; readonly cursor: Cursor };
}

export interface KeysetRows<Row> {
  readonly rows: Row[];
  /** Whether there are rows before and after these, in listing order. */
  readonly before: boolean;
  readonly behind: boolean;
  /** The position of an empty page between rows: next to its cursor. Null for other pages. */
  readonly gap: Cursor | null;
}

/**
 * Reads a page of a query without order or limit.
 * @param timeColumn orders the rows, with ties broken by id; null orders by id only.
 */
export async function readKeysetPage<T extends keyof Schema, Row extends { id: number }>(
  query: SelectQueryBuilder<Schema, T, Row>,
  { limit, ascending, from }: KeysetRequest,
  table: T & string,
  timeColumn: string | null,
): Promise<KeysetRows<Row>> {
  const id = sql.ref(`${table}.id`);
  const time = timeColumn === null ? null : sql.ref(`${table}.${timeColumn}`);
  // Reading backwards reverses the rows once more at the end.
  const backwards = from.at === 'before' || from.at === 'end';
  const up = ascending !== backwards;

  let page = query;
  if ('cursor' in from) {
    const comparison = sql.raw(up ? '>' : '<');
    page = page.where(
      time === null
        ? sql<boolean>`${id} ${comparison} ${from.cursor.id}`
        : sql<boolean>`(${time}, ${id}) ${comparison} (${from.cursor.time}, ${from.cursor.id})`,
    );
  }
  const direction = sql.raw(up ? 'asc' : 'desc');
  if (time !== null) page = page.orderBy(sql`${time} ${direction}`);
  page = page.orderBy(sql`${id} ${direction}`).limit(limit + 1);

  const rows = (await page.execute()) as Row[];
  const more = rows.length > limit;
  if (more) rows.pop();
  if (backwards) rows.reverse();
  // Beyond a cursor there is, or was, at least the row it names.
  const came = 'cursor' in from;
  const gap = came && rows.length === 0 ? beside(from.cursor, up) : null;
  return backwards ? { rows, before: more, behind: came, gap } : { rows, before: came, behind: more, gap };
}

/** The position directly before or after a row. */
function beside({ time, id }: Cursor, up: boolean): Cursor {
  return { time, id: up ? id + 1 : Math.max(0, id - 1) };
}
