// How clients page through lists, one function per style: each returns the items it saw, by page.
import type { Endpoint } from '@pressroom/api/contract';
import type { Call } from '@pressroom/testkit';

/** An item of any list. */
type Answered = Readonly<Record<string, unknown>>;
/** Parameters of one request. */
type Query = readonly (readonly [name: string, value: string])[];

interface Walk {
  readonly call: Call;
  readonly path: string;
  /** Filter parameters. */
  readonly query: Query;
  /** Null for the list's default. */
  readonly size: number | null;
  readonly sizeName: 'count' | 'limit' | 'page_size';
  /** A client that needs more requests never ends. */
  readonly atMost: number;
}

type Pages = (readonly Answered[])[];
type Style = (walk: Walk) => Promise<Pages>;
type Page = Readonly<{
  results: Answered[];
  applications: Answered[];
  total: number;
  count: number;
  current_page: number;
  continuation: string;
  paging: Readonly<Record<'first' | 'last' | 'next' | 'previous', string | null>> & {
    readonly cursors: Readonly<Record<'next' | 'previous', string | null>>;
  };
}>;

/** Parameters that page a list, and the styles of clients that use them. */
export const STYLES: Readonly<Record<string, Readonly<Record<string, Style>>>> = {
  keyset: {
    'paging.next': (walk) => byLink(walk, [], 'next'),
    'cursors.next': (walk) => byCursor(walk, [], 'next'),
    'paging.previous from paging.last': async (walk) => {
      const [first] = await follow({ ...walk, atMost: 1 }, []);
      const last = first?.paging.last;
      return last ? turned(await byLink(walk, last, 'previous')) : [first?.results ?? []];
    },
    'cursors.previous from last=true': async (walk) =>
      turned(await byCursor(walk, [['last', 'true']], 'previous')),
  },
  offset: {
    'page_number until empty': (walk) =>
      byNumber(walk, 'page_number', 1, 1, ({ results }) => results.length === 0),
    'page_number until total': (walk) =>
      byNumber(walk, 'page_number', 1, 1, ({ total }, number) => number * (walk.size ?? 20) >= total),
  },
  applications: {
    'cont until the page is empty': (walk) => byContinuation(walk, (page) => page.applications.length === 0),
    'cont until it is empty': (walk) => byContinuation(walk, (page) => page.continuation === ''),
    'start until empty': (walk) =>
      byNumber(walk, 'start', 1, walk.size ?? 100, (page) => page.applications.length === 0),
    'start until total': (walk) =>
      byNumber(walk, 'start', 1, walk.size ?? 100, ({ total, count }, start) => start - 1 + count >= total),
    'offset until empty': (walk) =>
      byNumber(walk, 'offset', 0, walk.size ?? 100, (page) => page.applications.length === 0),
    'offset until total': (walk) =>
      byNumber(walk, 'offset', 0, walk.size ?? 100, ({ total, count }, offset) => offset + count >= total),
  },
};

/** The styles for an operation's parameters; null if it is not paged. */
export function stylesOf({ paging, query }: Endpoint): string | null {
  if (paging !== undefined) return paging;
  const names = Object.keys(query?.properties ?? {});
  if (names.includes('cont')) return 'applications';
  // Pages beyond the contract, for clients that request them anyway.
  if (names.includes('page_number')) return 'offset';
  // A time interval is not paging.
  if (names.includes('start') && names.includes('end')) return null;
  return names.some((name) => /^(page|next|start|offset|cursor|after)/.test(name)) ? 'unknown' : null;
}

/** The next page: a query, an address, or none. */
type Next = (page: Page) => Query | string | null;

/** @throws Error if a page is refused, or paging never ends. */
async function follow(walk: Walk, start: Query | string, next: Next = () => null): Promise<Page[]> {
  const pages: Page[] = [];
  let place: Query | string | null = start;
  while (place !== null) {
    if (pages.length >= walk.atMost) throw new Error(`never ends: ${pages.length} pages of ${walk.path}`);
    const path: string = typeof place === 'string' ? place.replace(/^.*\/__api__/, '') : address(walk, place);
    const { status, body } = await walk.call('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    const page: Page = body;
    pages.push(page);
    place = next(page);
  }
  return pages;
}

function address({ path, query, size, sizeName }: Walk, more: Query): string {
  const sized: Query = size === null ? [] : [[sizeName, String(size)]];
  const text = new URLSearchParams();
  for (const [key, value] of [...query, ...sized, ...more]) text.append(key, value);
  // Like clients that encode no more than necessary.
  return `${path}?${text.toString().replaceAll('%3F', '?')}`;
}

async function byLink(walk: Walk, start: Query | string, name: 'next' | 'previous'): Promise<Pages> {
  return resultsOf(await follow(walk, start, (page) => page.paging[name]));
}

async function byCursor(walk: Walk, start: Query, name: 'next' | 'previous'): Promise<Pages> {
  const next: Next = ({ paging: { cursors } }) => (cursors[name] === null ? null : [[name, cursors[name]]]);
  return resultsOf(await follow(walk, start, next));
}

async function byNumber(
  walk: Walk,
  name: string,
  first: number,
  step: number,
  ended: (page: Page, number: number) => boolean,
): Promise<Pages> {
  let number = first;
  const next: Next = (page) => {
    if (ended(page, number)) return null;
    number += step;
    return [[name, String(number)]];
  };
  return resultsOf(await follow(walk, [[name, String(number)]], next));
}

async function byContinuation(walk: Walk, ended: (page: Page) => boolean): Promise<Pages> {
  return resultsOf(await follow(walk, [], (page) => (ended(page) ? null : [['cont', page.continuation]])));
}

function resultsOf(pages: readonly Page[]): Pages {
  return pages.map((page) => page.results ?? page.applications);
}

function turned(pages: Pages): Pages {
  return pages.toReversed();
}
