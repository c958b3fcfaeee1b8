import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { pauseAfter, slackFailure } from './slack-failure.ts';

test('waits longer after each refusal of a workspace that sends too many messages', () => {
  const failure = slackFailure(new WebAPIPlatformError({ ok: false, error: 'message_limit_exceeded' }));
  expect(failure.kind).toBe('busy');
  expect([1, 2, 5, 20].map((failures) => pauseAfter(failure, failures))).toEqual([
    1000, 2000, 16_000, 30_000,
  ]);
});
