import { describe, expect, test } from 'vitest';
import { eachByCursor, eachByNumber } from './pages.ts';

const SERVER = 'https://connect.example';

/** Serves the numbers 1 to `total` in keyset pages of `limit`. */
function keyset(total: number, limit: number) {
  const asked: Record<string, unknown>[] = [];
  const fetch = async (args: Readonly<Record<string, unknown>>) => {
    asked.push(args);
    const start = Number(args['next'] ?? 0);
    const results = Array.from({ length: Math.min(limit, total - start) }, (_, index) => start + index + 1);
    const next = start + limit < total ? String(start + limit) : null;
    return {
      results,
      paging: { next: next === null ? null : `${SERVER}/x?next=${next}`, cursors: { next } },
    };
  };
  return { fetch, asked };
}

describe('Cursor pagination', () => {
  test('returns every record once and in order, and keeps the filters', async () => {
    const { fetch, asked } = keyset(7, 3);
    expect(await Array.fromAsync(eachByCursor(fetch, { limit: 3, from: 'F' }, 'op', SERVER))).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
    expect(asked).toEqual([
      { limit: 3, from: 'F' },
      { limit: 3, from: 'F', next: '3' },
      { limit: 3, from: 'F', next: '6' },
    ]);
  });

  test('fetches a page only on demand', async () => {
    const { fetch, asked } = keyset(100, 10);
    for await (const item of eachByCursor(fetch, {}, 'op', SERVER)) if (item === 10) break;
    expect(asked).toHaveLength(1);
  });

  test('follows paging.next, not the cursor beside it', async () => {
    const fetch = async () => ({ results: [1], paging: { next: null, cursors: { next: 'more' } } });
    expect(await Array.fromAsync(eachByCursor(fetch, {}, 'op', SERVER))).toEqual([1]);
  });

  test('rejects a repeated cursor instead of looping', async () => {
    const fetch = async () => ({ results: [1], paging: { next: 'x', cursors: { next: 'same' } } });
    await expect(Array.fromAsync(eachByCursor(fetch, {}, 'op', SERVER))).rejects.toMatchObject({
      kind: 'wrong-shape',
    });
  });
});

describe('Numbered pagination', () => {
  function numbered(total: number, size: number) {
    const asked: unknown[] = [];
    const fetch = async (args: Readonly<Record<string, unknown>>) => {
      const page = args['page_number'] as number;
      asked.push(page);
      const all = Array.from({ length: total }, (_, index) => index + 1);
      return { current_page: page, results: all.slice((page - 1) * size, page * size), total };
    };
    return { fetch, asked };
  }

  test('follows pages until one is empty', async () => {
    const { fetch, asked } = numbered(5, 2);
    expect(await Array.fromAsync(eachByNumber(fetch, {}))).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([1, 2, 3, 4]);
  });

  test('requests one page of maximum size for a search by prefix', async () => {
    const fetch = async ({ page_number, page_size }: Readonly<Record<string, unknown>>) => {
      if (page_number !== 1) throw new Error('asked for another page');
      expect(page_size).toBe(500);
      return { current_page: page_number, results: ['a'], total: 1 };
    };
    expect(await Array.fromAsync(eachByNumber(fetch, { prefix: 'a' }))).toEqual(['a']);
  });

  test('ends when the server repeats an earlier page', async () => {
    const fetch = async () => ({ current_page: 1, results: ['a'], total: 1 });
    expect(await Array.fromAsync(eachByNumber(fetch, {}))).toEqual(['a']);
  });

  test('ends when a server without page numbers repeats a page', async () => {
    let requests = 0;
    const fetch = async () => {
      requests += 1;
      if (requests > 3) throw new Error('asked without an end');
      return { results: [{ guid: 'a' }, { guid: 'b' }], total: 2 };
    };
    expect(await Array.fromAsync(eachByNumber(fetch, {}))).toEqual([{ guid: 'a' }, { guid: 'b' }]);
  });

  test('ends when a server that echoes the page number repeats a page', async () => {
    let requests = 0;
    const fetch = async ({ page_number }: Readonly<Record<string, unknown>>) => {
      requests += 1;
      if (requests > 3) throw new Error('asked without an end');
      return { current_page: page_number, results: [{ guid: 'a' }, { guid: 'b' }], total: 2 };
    };
    expect(await Array.fromAsync(eachByNumber(fetch, {}))).toEqual([{ guid: 'a' }, { guid: 'b' }]);
  });

  test('follows pages without page numbers until one is empty', async () => {
    const { fetch } = numbered(5, 2);
    const unnumbered = async (args: Readonly<Record<string, unknown>>) => {
      const { results, total } = await fetch(args);
      return { results, total };
    };
    expect(await Array.fromAsync(eachByNumber(unnumbered, {}))).toEqual([1, 2, 3, 4, 5]);
  });

  test('accepts page numbers that start at 0', async () => {
    const { fetch } = numbered(5, 2);
    const fromZero = async (args: Readonly<Record<string, unknown>>) => {
      const page = await fetch(args);
      return { ...page, current_page: page.current_page - 1 };
    };
    expect(await Array.fromAsync(eachByNumber(fromZero, {}))).toEqual([1, 2, 3, 4, 5]);
  });
});
