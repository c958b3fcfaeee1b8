import { expect, test } from 'vitest';
import { openBench, read } from '../testing/open-bench.ts';

test('offers both ways to link an account', async () => {
  const { say } = await openBench({ isLinked: false });
  const { blocks } = await say('link');
  expect(JSON.stringify(blocks)).toMatch(/"link:browser"[^]*"link"/);
});

test('says who is linked already', async () => {
  const { say } = await openBench();
  expect(read(await say('link'))).toContain('signed in as *ada*');
});

test('a command of somebody who is not linked waits for the link, and asks the server nothing', async () => {
  const { say, store, called } = await openBench({ isLinked: false });
  const { blocks } = await say('deploy sales-report');
  expect(called('listContent')).toEqual([]);
  const pending = /"value":"([^"]+)"/.exec(JSON.stringify(blocks))?.[1] ?? '';
  expect(await store.takePending(pending, 'T1', 'U2')).toBeNull();
  expect(await store.takePending(pending, 'T1', 'U1')).toMatchObject({ line: 'deploy sales-report' });
});
