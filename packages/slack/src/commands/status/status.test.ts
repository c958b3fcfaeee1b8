import { bundle, content, misfit, many, nasty, time, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { overviewMessage, statusMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

const deploy = fc.record({
  task_id: fc.option(nasty),
  bundle_id: nasty,
  user_guid: fc.constant(null),
  started_time: nasty,
  finished_time: fc.constant(null),
  state: fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const),
  error: nasty,
  end_reason: fc.constantFrom(null, 'cancelled' as const, 'interrupted' as const),
  active: fc.boolean(),
  was_live: fc.boolean(),
  commit: fc.constant(null),
});

test.each(LANGUAGES)('$code: the status of content fits Slack’s limits and mentions nobody', (texts) => {
  const status = fc.record({
    content,
    owner: fc.option(nasty),
    bundles: many(bundle),
    last: fc.option(deploy),
    lock: fc.option(
      fc.record({
        reason: nasty,
        until: fc.option(time),
        user_guid: fc.uuid(),
        username: fc.option(nasty),
        created_time: time,
      }),
    ),
    mayDeploy: fc.boolean(),
    drafts: many(
      fc.record({
        bundle_id: nasty,
        preview: fc.option(nasty),
        url,
        task_id: nasty,
        user_guid: fc.uuid(),
        username: fc.option(nasty),
        created_time: time,
        expires_time: time,
      }),
    ),
    release: fc.option(
      fc.record({
        bundle_id: nasty,
        state: fc.constantFrom('failed' as const, 'asked' as const, 'approved' as const, 'canary' as const),
        steps: many(
          fc.record({
            what: fc.constantFrom('failed' as const, 'started' as const),
            time,
            user_guid: fc.constant(null),
            username: fc.constant(null),
            reason: fc.option(nasty),
            task_id: fc.option(nasty),
          }),
        ),
      }),
    ),
  });
  expect(
    misfit(fc.tuple(status, nasty).map(([view, share]) => statusMessage(view, share, texts))),
  ).toBeNull();
});

test.each(LANGUAGES)('$code: the overview of a server fits Slack’s limits and mentions nobody', (texts) => {
  const overview = fc.record({
    server: url,
    version: fc.option(nasty),
    who: fc.option(nasty),
    mine: many(content),
  });
  expect(
    misfit(fc.tuple(overview, nasty).map(([view, share]) => overviewMessage(view, share, texts))),
  ).toBeNull();
});
