// Paging in responses: the pager object of keyset operations, and offsets of the others (contract, section 1).
import { errors, type Pager } from '@pressroom/api/contract';
import type { Cursor, KeysetRequest, KeysetRows } from '../platform/database/keyset.ts';

interface KeysetQuery {
  readonly limit: number;
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
  readonly last?: boolean | undefined;
}

/** @throws ApiError 25 for an invalid cursor, or for two. */
export function keysetRequest(query: KeysetQuery, ascending: boolean): KeysetRequest {
  const { limit, next, previous, last } = query;
  if (next && previous) throw errors.invalidParameter({ message: 'use either next or previous, not both' });
  if (next) return { limit, ascending, from: { at: 'after', cursor: decodeCursor(next) } };
  if (previous) return { limit, ascending, from: { at: 'before', cursor: decodeCursor(previous) } };
  return { limit, ascending, from: { at: last ? 'end' : 'start' } };
}

/** @param url path and query of the request: filters are kept, the position changes. */
export function pager<Row>(
  base: string,
  url: string,
  page: KeysetRows<Row>,
  cursorOf: (row: Row) => Cursor,
): Pager {
  // The query may contain question marks.
  const [, path, query] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
  const at = (name?: string, value?: string): string => {
    const params = new URLSearchParams(query);
    for (const place of ['next', 'previous', 'last']) params.delete(place);
    if (name !== undefined) params.set(name, value!);
    const text = params.toString();
    return `${base}${path}${text === '' ? '' : `?${text}`}`;
  };
  const [head, tail] = [page.rows[0], page.rows.at(-1)];
  const [start, end] = [head ? cursorOf(head) : page.gap, tail ? cursorOf(tail) : page.gap];
  const next = page.behind && end ? encodeCursor(end) : null;
  const previous = page.before && start ? encodeCursor(start) : null;
  return {
    cursors: { next, previous },
    first: page.before ? at() : null,
    last: page.behind ? at('last', 'true') : null,
    next: next === null ? null : at('next', next),
    previous: previous === null ? null : at('previous', previous),
  };
}

function encodeCursor({ time, id }: Cursor): string {
  return Buffer.from(`${time}.${id}`).toString('base64url');
}

function decodeCursor(text: string): Cursor {
  const match = /^(\d{1,16})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString());
  if (!match)
    throw errors.invalidParameter({ message: 'next and previous must be cursors that this server returned' });
  return { time: Number(match[1]), id: Number(match[2]) };
}

export function offsetOf({ page_number, page_size }: { page_number: number; page_size: number }) {
  return { offset: (page_number - 1) * page_size, limit: page_size };
}
