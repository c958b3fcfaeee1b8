import { expect, test } from 'vitest';
import { CONTENT, openBench, read, refuse } from '../testing/open-bench.ts';

test('removes the lock', async () => {
  const { say, called } = await openBench({ server: { deleteDeployLock: undefined } });
  expect(read(await say('unlock sales-report'))).toContain('*Sales* can be deployed again.');
  expect(called('deleteDeployLock')).toEqual([{ guid: CONTENT.guid }]);
});

test('content that is not locked is said to be so by the server', async () => {
  const { say } = await openBench({
    server: { deleteDeployLock: refuse(4, 'deploys of this content are not locked', 404) },
  });
  const shown = read(await say('unlock sales-report'));
  expect(shown).toContain('/pressroom unlock sales-report failed');
  expect(shown).toContain('deploys of this content are not locked');
});

test('unknown content offers the nearest names, each with the same command', async () => {
  const { say, called } = await openBench();
  expect(read(await say('unlock sale-report'))).toMatch(/No content[^]*unlock sales-report/);
  expect(called('deleteDeployLock')).toEqual([]);
});
