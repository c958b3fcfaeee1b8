import { misfit, many, nasty, time } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import type { Run } from '../command.ts';
import { dryRunMessage } from './blocks.ts';
import { subscribe } from './subscribe.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: a dry run fits Slack’s limits and mentions nobody', (texts) => {
  const entries = many(fc.record({ time, text: nasty, held: fc.option(nasty) }));
  expect(
    misfit(
      fc.tuple(nasty, entries).map(([title, found]) => dryRunMessage(title, ['failures'], found, texts)),
    ),
  ).toBeNull();
});

test('the name of a variant mentions nobody', async () => {
  const guid = 'cccccccc-0000-4000-8000-000000000009';
  const variant = { key: 'k', name: '<!channel>', is_default: false, visibility: 'public' };
  const run = {
    client: {
      getContent: async () => ({ guid, name: 'sales', title: null, role: 'owner' }),
      getContentVariants: async () => [variant],
      getCurrentUser: async () => ({ user_role: 'publisher' }),
    },
    command: { name: 'subscribe', subject: guid, options: { variant: 'k' }, filters: [] },
    invoker: { team: 'T1', user: 'U1', name: 'ada', channel: 'C1' },
    services: {
      slack: { user: async () => ({ name: 'ada', zone: 'UTC' }), canPost: async () => true },
      store: { subscriptions: async () => [], saveSubscription: async () => undefined },
    },
    texts: TEXTS.en,
  } as unknown as Run;
  const { text } = (await (subscribe as { run: (run: Run) => Promise<{ text: string } | null> }).run(run))!;
  expect(text).toContain('&lt;');
  expect(text).not.toContain('<!channel>');
});
