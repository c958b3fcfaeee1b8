import type { Bundle, ContentDeploy } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { lastGood, targetsOf } from './deploys-of.ts';

const bundle = (id: string): Bundle => ({
  id,
  content_guid: 'c',
  created_time: '2026-01-01T00:00:00Z',
  r_version: null,
  py_version: null,
  active: false,
  size: 1,
});
const deploy = (bundle_id: string, state: ContentDeploy['state']): ContentDeploy => ({
  task_id: `task${bundle_id}`,
  bundle_id,
  user_guid: null,
  started_time: '2026-01-02T00:00:00Z',
  finished_time: null,
  commit: null,
  end_reason: null,
  state,
  error: '',
  active: false,
});
const bundles = ['11', '12', '13'].map(bundle);

test('a rollback goes to the newest earlier bundle that succeeded', () => {
  const deploys = [deploy('13', 'succeeded'), deploy('12', 'failed'), deploy('11', 'succeeded')];
  const targets = targetsOf(bundles, deploys, '13');
  expect(lastGood(targets, '13', true)?.id).toBe('11');
  expect(targets.map(({ id, state }) => [id, state])).toEqual([
    ['12', 'failed'],
    ['11', 'succeeded'],
  ]);
});

test('a rollback suggests no bundle that failed or was only uploaded', () => {
  expect(
    lastGood(targetsOf(bundles, [deploy('13', 'succeeded'), deploy('12', 'failed')], '13'), '13', true),
  ).toBeNull();
});

test('a rollback suggests the previous bundle without outcomes, and none without an active one', () => {
  expect(lastGood(targetsOf(bundles, null, '13'), '13', false)?.id).toBe('12');
  expect(lastGood(targetsOf(bundles, null, null), null, false)).toBeNull();
});

test('a rollback suggests a deployed bundle when bundles are not visible', () => {
  const deploys = [deploy('13', 'succeeded'), deploy('12', 'failed'), deploy('11', 'succeeded')];
  expect(lastGood(targetsOf([], deploys, '13'), '13', true)?.id).toBe('11');
});
