// Checks that every client which pages through a list, in its own style, sees each row once and ends.
import { operations, type Endpoint } from '@pressroom/api/contract';
import { startTestServer, type Person } from '@pressroom/testkit';
import fc from 'fast-check';
import { STYLES, stylesOf } from './page-clients.ts';
import { ALL, pagedLists, type Filter, type PagedList } from './paged-lists.ts';

export interface PagingReport {
  readonly seed: number;
  walks: number;
  requests: number;
  readonly faults: string[];
}

export interface Extent {
  /** Row counts of the lists, ascending. */
  readonly counts: readonly number[];
  /** Page sizes; null for the list's default. */
  readonly sizes: readonly (number | null)[];
  /** Walks per list and count with a random filter and size. */
  readonly random: number;
}

/** Paged operations of the contract. */
export function pagedOperations(): string[] {
  return Object.values<Endpoint>(operations)
    .filter((operation) => stylesOf(operation) !== null)
    .map(({ operationId }) => operationId);
}

/**
 * @param seed reproduces the same filters and sizes
 * @param told called after each list, with the result so far
 */
export async function followPages(
  { counts, sizes, random }: Extent,
  seed: number,
  told?: (list: string, report: PagingReport) => void,
): Promise<PagingReport> {
  const report: PagingReport = { seed, walks: 0, requests: 0, faults: [] };
  await using server = await startTestServer({ settings: {} });
  const admin = await server.administrator();
  const lists = await pagedLists(server, admin);
  // The audit log has an entry for the first use of a key.
  await admin.call('GET', '/v1/user');
  for (const [id, list] of Object.entries(lists)) {
    const rows: Rows = [];
    for (const count of counts) {
      rows.push(...(await list.add(rows.length, count)));
      for (const size of sizes)
        await walkAll(id, list, rows, { size, filter: ALL, order: [] }, admin, report);
      for (const how of fc.sample(hows(id, list, count), { numRuns: random, seed: seed + count }))
        await walkAll(id, list, rows, how, admin, report);
    }
    told?.(id, report);
  }
  return report;
}

type Rows = Awaited<ReturnType<PagedList['add']>>;

/** Pages through one list with every style of client. */
async function walkAll(
  id: string,
  list: PagedList,
  rows: Rows,
  { filter, order, size }: How,
  { call }: Person,
  report: PagingReport,
): Promise<void> {
  const expected = rows.filter((row) => filter.holds(row)).map((row) => String(row[list.key]));
  const kind = stylesOf(operationOf(id)) ?? '';
  const said = [...Object.entries(list.only), ...Object.entries(filter.query), ...order];
  // Filters of applications share one name; elsewhere a later value replaces an earlier one.
  const query = kind === 'applications' ? said : [...new Map(said)];
  const sizeName = SIZE_NAMES[kind] ?? 'page_size';
  const atMost = Math.ceil(expected.length / (size ?? 20)) + 2;
  let first: string | null = null;
  for (const [style, walk] of Object.entries(STYLES[kind] ?? {})) {
    const name = `${id} by ${style}, ${expected.length} rows, ${size ?? 'as many as it has by itself'} a page, ${JSON.stringify(query)}`;
    report.walks += 1;
    try {
      const pages = await walk({ call, path: list.path, query, size, sizeName, atMost });
      report.requests += pages.length;
      const seen = pages.flat().map((item) => String(item[list.key]));
      if (seen.toSorted().join() !== expected.toSorted().join())
        report.faults.push(`${name}: ${seen.length} seen, ${new Set(seen).size} different ones`);
      first ??= seen.join();
      if (seen.join() !== first) report.faults.push(`${name}: in another order`);
    } catch (error) {
      report.faults.push(`${name}: ${String(error)}`);
    }
  }
}

const SIZE_NAMES: Readonly<Record<string, 'count' | 'limit'>> = { keyset: 'limit', applications: 'count' };

/** Maximum pages of a random walk. */
const MAX_PAGES = 100;
/** Maximum page size of the contract. */
const MAX_PAGE_SIZE = 500;

interface How {
  readonly size: number | null;
  readonly filter: Filter;
  readonly order: readonly (readonly [string, string])[];
}

/** With few rows, pages of one or several; with many, at most a hundred pages. */
function hows(id: string, list: PagedList, count: number): fc.Arbitrary<How> {
  const names = Object.keys(operationOf(id).query?.properties ?? {});
  const name = names.find((one) => /^asc_?order$/i.test(one));
  const orders: How['order'][] = name === undefined ? [[]] : [[[name, 'true']], [[name, 'false']]];
  return fc.record({
    size: fc.integer({
      min: Math.max(1, Math.ceil(count / MAX_PAGES)),
      max: Math.max(8, Math.min(MAX_PAGE_SIZE, count)),
    }),
    filter: list.filter,
    order: fc.constantFrom(...orders),
  });
}

function operationOf(id: string): Endpoint {
  const operation: Endpoint | undefined = Object.values(operations).find(
    ({ operationId }) => operationId === id,
  );
  if (operation === undefined) throw new Error(`no operation ${id}`);
  return operation;
}
