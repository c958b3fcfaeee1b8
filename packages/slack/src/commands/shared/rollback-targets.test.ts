import type { Bundle, ContentDeploy } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { targetsOf } from './rollback-targets.ts';

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
  was_live: state === 'succeeded',
});
const bundles = ['11', '12', '13'].map(bundle);

test('targets of a rollback are the other bundles, newest first, with how their last deploy ended', () => {
  const deploys = [deploy('13', 'succeeded'), deploy('12', 'failed'), deploy('11', 'succeeded')];
  expect(targetsOf(bundles, deploys, '13').map(({ id, state }) => [id, state])).toEqual([
    ['12', 'failed'],
    ['11', 'succeeded'],
  ]);
});

test('targets are the deployed bundles when bundles are not visible', () => {
  const deploys = [deploy('13', 'succeeded'), deploy('12', 'failed'), deploy('11', 'succeeded')];
  expect(targetsOf([], deploys, '13').map(({ id }) => id)).toEqual(['12', '11']);
});
