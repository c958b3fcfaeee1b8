import { many, misfit, nasty } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { changesMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: a comparison fits Slack’s limits and mentions nobody', (texts) => {
  const file = fc.record({
    path: nasty,
    change: fc.constantFrom('added' as const, 'removed' as const, 'changed' as const),
    counts: fc.option(fc.record({ added: fc.nat(), removed: fc.nat() })),
  });
  const fact = fc.record({
    what: fc.oneof(
      fc.constantFrom('type', 'main file'),
      nasty,
      nasty.map((name) => `R package ${name}`),
    ),
    before: fc.option(nasty),
    after: fc.option(nasty),
  });
  const changes = fc.record({
    title: nasty,
    from: nasty,
    to: nasty,
    facts: many(fact),
    files: many(file),
    more: fc.nat(),
  });
  expect(
    misfit(fc.tuple(changes, nasty).map(([view, share]) => changesMessage(view, share, texts))),
  ).toBeNull();
});

test('says how many facts are left out', () => {
  const facts = Array.from({ length: 42 }, (_, i) => ({ what: `R package p${i}`, before: '1', after: '2' }));
  const view = { title: 't', from: '1', to: '2', facts, files: [], more: 0 };
  const shown = JSON.stringify(changesMessage(view, 'x', TEXTS.en));
  expect(shown).toContain('p29: 1 → 2\\n… +12');
});
