import { expect, test } from 'vitest';
import { CONTENT, openBench, read, refuse } from '../testing/open-bench.ts';

const release = (bundle_id: string, approved: boolean) => ({
  bundle_id,
  needed: 1,
  approvals: approved ? [{ username: 'ada' }] : [],
  asked_time: '2026-03-04T10:00:00Z',
  asked: [],
  approved,
  stuck: false,
  override_reason: null,
});
const approveRelease = ({ id }: { id: string }) => release(id, true);

test('approves the bundle that waits, and offers to make it live', async () => {
  const { say, called } = await openBench({ server: { getReleases: [release('8', false)], approveRelease } });
  const shown = read(await say('approve sales-report'));
  expect(called('approveRelease')).toEqual([{ guid: CONTENT.guid, id: '8' }]);
  expect(shown).toContain('Bundle 8: 1 of 1 approvals (ada)');
  expect(shown).toContain(`deploy ${CONTENT.guid} --bundle 8`);
});

test('of several, none is approved unless it is named', async () => {
  const getReleases = [release('8', false), release('9', false)];
  const { say, called } = await openBench({ server: { getReleases, approveRelease } });
  expect(read(await say('approve sales-report'))).toMatch(/--bundle 8[^]*--bundle 9/);
  expect(called('approveRelease')).toEqual([]);
  await say('approve sales-report --bundle 9');
  expect(called('approveRelease')).toEqual([{ guid: CONTENT.guid, id: '9' }]);
});

test('nothing that waits is said, and approves nothing', async () => {
  const { say, called } = await openBench({ server: { getReleases: [], approveRelease } });
  expect(read(await say('approve sales-report'))).toContain('waits for approval');
  expect(called('approveRelease')).toEqual([]);
});

test('who uploaded it is refused by the server', async () => {
  const denied = refuse(22, 'you uploaded this bundle: somebody else approves it');
  const { say } = await openBench({ server: { getReleases: [release('8', false)], approveRelease: denied } });
  expect(read(await say('approve sales-report'))).toContain('somebody else approves it (code 22)');
});
