import { expect, test } from 'vitest';
import { readDeploy } from './audit-log.ts';

const entry = (action: string, event_description: string) => ({
  id: '1',
  time: '2026-03-04T00:00:00Z',
  user_id: '1',
  user_description: 'Ada (ada)',
  action,
  event_description,
});
const guid = 'c0ffee00-0000-4000-8000-000000000001';

test('reads content, bundle and task from the description of an audit entry', () => {
  const words = `Deploying bundle 12 of content sales (${guid}), task Ab3dEf6hIj9lMn2p, by Slack user U1`;
  expect(readDeploy(entry('deploy_application', words))).toMatchObject({
    content: guid,
    bundle: '12',
    task: 'Ab3dEf6hIj9lMn2p',
  });
});

test('accepts a shorter description and ignores other actions', () => {
  expect(readDeploy(entry('deploy_application', `Deployed ${guid.toUpperCase()}`))).toMatchObject({
    content: guid,
    bundle: null,
    task: null,
  });
  expect(readDeploy(entry('upload_bundle', `bundle 1 of ${guid}`))).toBeNull();
});
