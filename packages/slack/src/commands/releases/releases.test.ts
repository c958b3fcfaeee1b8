import { expect, test } from 'vitest';
import { CONTENT, openBench, read } from '../testing/open-bench.ts';

const release = (bundle_id: string, more: object = {}) => ({
  bundle_id,
  needed: 2,
  approvals: [{ username: 'bob' }],
  asked_time: '2026-03-04T10:00:00Z',
  asked: [{ user_guid: 'u', username: 'cleo' }],
  approved: false,
  stuck: false,
  override_reason: null,
  ...more,
});

test('shows who approved and who can, with a button to approve', async () => {
  const { say } = await openBench({ server: { getReleases: [release('8')] } });
  const shown = read(await say('releases sales-report'));
  expect(shown).toMatch(/Bundle 8: 1 of 2 approvals \(bob\)[^]*Can approve: cleo/);
  expect(shown).toContain(`approve ${CONTENT.guid} --bundle 8`);
});

test('an approved bundle can be made live, also one whose approvals were overridden', async () => {
  const overridden = release('9', { approved: true, override_reason: 'outage' });
  const { say } = await openBench({ server: { getReleases: [overridden] } });
  const shown = read(await say('releases sales-report'));
  expect(shown).toContain('overridden: outage');
  expect(shown).toContain(`deploy ${CONTENT.guid} --bundle 9`);
  expect(shown).not.toContain('approve ');
});

test('says what a release that nobody can approve needs', async () => {
  const { say } = await openBench({ server: { getReleases: [release('8', { stuck: true, asked: [] })] } });
  expect(read(await say('releases sales-report'))).toContain('Too few people may approve it');
});

test('says that nothing waits', async () => {
  const { say } = await openBench({ server: { getReleases: [] } });
  expect(read(await say('releases sales-report'))).toBe('No bundle of *Sales* waits for approval.');
});
