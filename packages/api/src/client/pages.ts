// Iterates over pages, by cursor or by number, one record at a time.
import { INVALID_RESPONSE, wording } from './failure-texts.ts';
import { InvalidResponseError } from './failures.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Fetches one page with these arguments. */
export type FetchPage = (args: Arguments) => Promise<unknown>;

interface KeysetPage {
  results: unknown[];
  paging?: { next?: unknown; cursors?: { next?: unknown } };
}

/**
 * All records from the page selected by `args` on. Follows cursors, not URLs: those may contain an unreachable address,
 * or another server (contract, section 1 "Keyset rules"). Throws InvalidResponseError if the server repeats a page.
 */
export async function* eachByCursor(fetch: FetchPage, args: Arguments, operation: string, server: string) {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const { previous, next, last, ...rest } = args;
    const position = cursor === undefined ? { previous, next, last } : { next: cursor };
    const page = (await fetch({ ...rest, ...position })) as KeysetPage;
    yield* page.results;
    cursor = nextCursor(page, server);
    if (cursor !== undefined && seen.has(cursor)) {
      throw new InvalidResponseError({
        operation,
        server,
        kind: 'wrong-shape',
        status: 200,
        message: wording(INVALID_RESPONSE.samePage, server, operation),
      });
    }
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}

const MAX_PAGE_SIZE = 500;

/**
 * All records from page `page_number` (1) on, until a page is empty or repeated (contract, section 1 "Offset rules").
 */
export async function* eachByNumber(fetch: FetchPage, args: Arguments) {
  let number = typeof args['page_number'] === 'number' ? args['page_number'] : 1;
  // A prefix search has a single page (contract, 4.4 and 4.8): it must be as large as possible.
  const isSearch = args['prefix'] !== undefined && args['prefix'] !== '';
  let before: number | null = null;
  let recordsBefore = '';
  for (;;) {
    const page = (await fetch({
      page_size: isSearch ? MAX_PAGE_SIZE : 100,
      ...args,
      page_number: number,
    })) as {
      current_page?: unknown;
      results: unknown[];
    };
    const current = typeof page.current_page === 'number' ? page.current_page : null;
    // Some servers return the first page for every page number. Others count from 0 (contract, 4.4 "Groups").
    const records = JSON.stringify(page.results);
    const again = records === recordsBefore || (current !== null && before !== null && current <= before);
    if (page.results.length === 0 || again) return;
    yield* page.results;
    if (isSearch) return;
    before = current;
    recordsBefore = records;
    number += 1;
  }
}

/** `paging.next` says whether there is more; the cursor is next to it, or in it. */
function nextCursor(page: KeysetPage, server: string): string | undefined {
  const link = page.paging?.next;
  if (typeof link !== 'string' || link === '') return undefined;
  const cursor = page.paging?.cursors?.next;
  if (typeof cursor === 'string' && cursor !== '') return cursor;
  return URL.canParse(link, server)
    ? (new URL(link, server).searchParams.get('next') ?? undefined)
    : undefined;
}
