import { expect, test } from 'vitest';
import type { ContentDeploy } from '../../contract/index.ts';
import { rollbackTarget } from './rollback-target.ts';

const deploy = (bundle_id: string, how: Partial<ContentDeploy> = {}): ContentDeploy => ({
  task_id: `task${bundle_id}`,
  bundle_id,
  user_guid: null,
  started_time: '2026-01-02T00:00:00Z',
  finished_time: null,
  commit: null,
  end_reason: null,
  state: 'succeeded',
  error: '',
  active: false,
  was_live: true,
  ...how,
});
const ids = ['9', '10', '11', '12', '13'];

test('a rollback goes to the bundle that was live before, not to one that failed or was a draft or canary', () => {
  const deploys = [
    deploy('13'),
    deploy('12', { state: 'failed', was_live: false }),
    deploy('11', { was_live: false }),
    deploy('10'),
  ];
  expect(rollbackTarget(ids, deploys, '13')).toBe('10');
});

test('after a rollback, the next deploy goes back to where that one went', () => {
  const deploys = [deploy('13'), deploy('10'), deploy('12'), deploy('10'), deploy('9')];
  expect(rollbackTarget(ids, deploys, '13')).toBe('10');
  // Not forward again.
  expect(rollbackTarget(ids, [deploy('10'), ...deploys], '10')).toBe('9');
});

test('a deploy that failed does not hide an earlier one of its bundle', () => {
  const deploys = [deploy('13'), deploy('12', { state: 'failed' }), deploy('12'), deploy('11')];
  expect(rollbackTarget(ids, deploys, '13')).toBe('12');
});

test('a deleted bundle is none to go back to', () => {
  expect(rollbackTarget(['9', '13'], [deploy('13'), deploy('12'), deploy('9')], '13')).toBe('9');
});

test('without deploys it is the newest before, and without an active bundle none', () => {
  expect(rollbackTarget(ids, null, '10')).toBe('9');
  expect(rollbackTarget(ids.toReversed(), null, '13')).toBe('12');
  expect(rollbackTarget(ids, null, null)).toBeNull();
  expect(rollbackTarget(ids, [deploy('13')], '13')).toBeNull();
});

test('an older server does not say what was live: what succeeded counts', () => {
  const { was_live: _unknown, ...older } = deploy('12');
  expect(rollbackTarget(ids, [deploy('13'), older as ContentDeploy], '13')).toBe('12');
});
