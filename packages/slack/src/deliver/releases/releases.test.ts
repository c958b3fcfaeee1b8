import { many, misfit, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { aboutMessage } from './about-release.ts';
import { releaseMessage, whoBegan, type ReleaseState } from './releases.ts';

const LANGUAGES = Object.values(TEXTS);
const STATES: readonly ReleaseState[] = [
  'preparing',
  'draft',
  'draft_failed',
  'draft_cancelled',
  'draft_ended',
  'held',
  'asked',
  'approved',
  'overridden',
  'canary',
  'waiting',
  'back',
  'replaced',
  'live',
  'withdrawn',
];
const steps = fc.array(
  fc.record({
    what: fc.constantFrom(...STATES),
    who: nasty,
    time: fc.nat(2e12),
    reason: fc.option(fc.oneof(nasty, url)),
    reason_code: fc.option(fc.constantFrom('discarded', 'expired', 'unknown')),
    reason_detail: fc.option(nasty),
    draft_task: fc.option(nasty),
  }),
  { minLength: 1, maxLength: 20 },
);
const content = fc.record({ guid: fc.uuid(), title: nasty, url: fc.option(url) });

test.each(LANGUAGES)('$code: the message of a release fits Slack’s limits and mentions nobody', (texts) => {
  const view = fc.record({
    content,
    bundle: nasty,
    steps,
    standing: fc.constantFrom(null, { isApproved: true, asked: [], askedOwner: null }),
    canary: fc.constant(null),
    failure: fc.option(
      fc.record({
        diagnosis: fc.option(
          fc.record({
            kind: fc.constant('other' as const),
            index: fc.constant(0),
            line: nasty,
            hint: nasty,
          }),
        ),
        error: nasty,
      }),
    ),
  });
  expect(misfit(view.map((one) => releaseMessage(one, texts)))).toBeNull();
});

test.each(LANGUAGES)('$code: the facts of a release fit Slack’s limits and mention nobody', (texts) => {
  const view = fc.record({
    title: nasty,
    release: fc.record({
      bundle_id: nasty,
      live_bundle_id: fc.option(nasty),
      commit: fc.option(
        fc.record({ sha: nasty, subject: nasty, author: nasty, branch: nasty, repository: nasty }),
      ),
      use: fc.option(fc.record({ days: fc.constant(30), people: fc.nat(), total: fc.nat() })),
      links: fc.record({
        results: many(
          fc.record({ content_guid: fc.uuid(), content_name: nasty, content_title: fc.option(nasty) }),
        ),
        total: fc.nat(),
      }),
    }),
    numbers: fc.option(
      fc.record({
        before: fc.constant({ bundle_id: '1' }),
        after: fc.constant({ bundle_id: '2' }),
        moved: many(
          fc.record({
            table: nasty,
            row: nasty,
            column: nasty,
            before: nasty,
            after: nasty,
            difference: fc.double({ noNaN: true }),
            percent: fc.option(fc.double({ noNaN: true, min: -1e6, max: 1e6 })),
          }),
        ),
        more: fc.nat(1000),
      }),
    ),
    changes: fc.option(
      fc.record({
        facts: many(fc.record({ what: nasty, before: fc.option(nasty), after: fc.option(nasty) })),
        files: many(
          fc.record({
            path: nasty,
            change: fc.constantFrom('added' as const, 'removed' as const, 'changed' as const),
            before: fc.constant(null),
            after: fc.constant(null),
            lines: fc.constant(null),
            counts: fc.option(fc.record({ added: fc.nat(), removed: fc.nat() })),
          }),
        ),
        same: fc.nat(),
        more: fc.nat(),
      }),
    ),
  });
  expect(misfit(view.map((one) => aboutMessage(one, texts)))).toBeNull();
});

test('shows the state of a draft unless approval, canary or live takes precedence', () => {
  const told = (...all: readonly ReleaseState[]) =>
    releaseMessage(
      {
        content: { guid: 'g', title: 'Prices', url: null },
        bundle: '7',
        steps: all.map((what, time) => ({
          what,
          who: 'Ada',
          time,
          reason: null,
          reason_code: null,
          reason_detail: null,
          draft_task: null,
        })),
        standing: null,
        canary: null,
        failure: null,
      },
      TEXTS.en,
    ).text;
  expect(told('preparing')).toBe('Bundle 7 of Prices is being prepared');
  expect(told('preparing', 'draft')).toBe('Bundle 7 of Prices is ready as a draft');
  expect(told('preparing', 'draft_failed', 'preparing')).toBe('Bundle 7 of Prices is being prepared');
  expect(told('preparing', 'draft_cancelled')).toBe('The draft of bundle 7 of Prices was cancelled');
  expect(told('draft', 'draft_ended')).toBe('The draft of bundle 7 of Prices ended');
  expect(told('draft', 'canary', 'draft_ended')).toBe('The draft of bundle 7 of Prices ended');
  expect(told('draft', 'canary', 'back', 'draft_ended')).toBe(
    'Bundle 7 of Prices was rolled back; what was live is live',
  );
  expect(told('draft', 'draft_ended', 'draft')).toBe('Bundle 7 of Prices is ready as a draft');
  expect(told('draft', 'asked', 'draft_ended')).toBe('Bundle 7 of Prices waits for approval');
  expect(told('asked', 'preparing', 'draft')).toBe('Bundle 7 of Prices waits for approval');
  expect(told('preparing', 'draft', 'canary')).toBe('Bundle 7 of Prices takes a share of new sessions');
  expect(told('preparing', 'draft', 'canary', 'back')).toBe(
    'Bundle 7 of Prices was rolled back; what was live is live',
  );
  expect(told('preparing', 'live', 'draft')).toBe('Bundle 7 of Prices is live');
  // Another bundle is live since: the server refuses drafts of the live one.
  expect(told('draft', 'live', 'preparing')).toBe('Bundle 7 of Prices is being prepared');
  expect(told('draft', 'live', 'preparing', 'draft', 'draft_ended')).toBe(
    'The draft of bundle 7 of Prices ended',
  );
  expect(told('live', 'preparing', 'draft', 'asked', 'preparing')).toBe(
    'Bundle 7 of Prices waits for approval',
  );
  expect(told('live', 'held', 'live')).toBe('Bundle 7 of Prices is live');
  expect(told('canary', 'back', 'preparing', 'draft', 'canary')).toBe(
    'Bundle 7 of Prices takes a share of new sessions',
  );
  const withdrawn = 'The release of bundle 7 of Prices was withdrawn';
  expect(told('draft', 'asked', 'approved', 'withdrawn')).toBe(withdrawn);
  expect(told('asked', 'withdrawn', 'asked')).toBe('Bundle 7 of Prices waits for approval');
  expect(told('asked', 'withdrawn', 'live')).toBe('Bundle 7 of Prices is live');
  // Requested once more after an approver left.
  expect(told('asked', 'approved', 'live', 'asked')).toBe('Bundle 7 of Prices waits for approval');
});

test('who began what failed is who deployed it, not who rolled it back', () => {
  const step = (what: ReleaseState, actor: string | null, time: number) => ({ what, actor, time }) as never;
  expect(whoBegan([step('canary', 'ada', 1), step('back', 'bob', 2)])).toBe('ada');
  // Of a canary that began before the bot noted who did.
  expect(whoBegan([step('canary', null, 1), step('back', 'bob', 2)])).toBe('bob');
  expect(whoBegan([step('preparing', 'ada', 1), step('draft_failed', 'ada', 2)])).toBe('ada');
  expect(whoBegan([step('canary', 'ada', 1)])).toBeNull();
});
