import type { Client, ContentItem } from '@pressroom/api/client';
import { many, misfit, nasty } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { rollbackMessage, rollbackModal } from './blocks.ts';
import { askRollback } from './question.ts';

const LANGUAGES = Object.values(TEXTS);

const target = fc.record({
  id: nasty,
  time: nasty,
  state: fc.constantFrom('succeeded' as const, 'failed' as const, null),
});
const question = fc.record({
  key: fc.uuid(),
  title: nasty,
  from: fc.option(nasty),
  to: target,
  others: many(target),
});

test.each(LANGUAGES)(
  '$code: the confirmation as a message fits Slack’s limits and mentions nobody',
  (texts) => {
    expect(misfit(question.map((asked) => rollbackMessage(asked, texts)))).toBeNull();
  },
);

test.each(LANGUAGES)(
  '$code: the confirmation as a modal fits Slack’s limits and mentions nobody',
  (texts) => {
    expect(
      misfit(
        fc.tuple(question, nasty).map(([asked, metadata]) => rollbackModal(asked, metadata, texts)),
        'modal',
      ),
    ).toBeNull();
  },
);

test('the bundle that was live before is found among many', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => String(index + 1));
  const client = {
    each: { getBundles: () => ids.map((id) => ({ id, created_time: '2026-01-01T00:00:00Z' })) },
    getContentDeploys: async () =>
      ['150', '1'].map((bundle_id) => ({ bundle_id, state: 'succeeded', was_live: true, started_time: '' })),
  } as unknown as Client;
  const content = { guid: 'g', name: 'report', title: 'Report', bundle_id: '150' } as ContentItem;
  const signal = new AbortController().signal;
  expect(await askRollback({ client, signal, texts: TEXTS.en }, content, 'q')).toMatchObject({
    to: { id: '1' },
  });
});
