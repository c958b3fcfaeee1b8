// Covers every paged list of the contract, with the paging of every kind of client (contract, 1). `npm run soak` sends more.
import { startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { pagedLists } from '../soak/paged-lists.ts';
import { followPages, pagedOperations } from '../soak/paging.ts';

test('the suite covers every paged list', async () => {
  await using server = await startTestServer({ settings: {} });
  const lists = await pagedLists(server, await server.administrator());
  expect(Object.keys(lists).toSorted()).toEqual(pagedOperations().toSorted());
});

test('lists of 0, 1, page and page + 1 rows return each row once', async () => {
  const report = await followPages({ counts: [0, 1, 20, 21], sizes: [null, 20], random: 6 }, 16);
  expect(report.faults).toEqual([]);
  expect(report.walks).toBeGreaterThan(800);
});

test('lists of 1,000 rows return each row once', async () => {
  const report = await followPages({ counts: [1000], sizes: [100], random: 0 }, 16);
  expect(report.faults).toEqual([]);
  expect(report.requests).toBeGreaterThan(300);
});
