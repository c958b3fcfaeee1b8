import fc from 'fast-check';
import { expect, test } from 'vitest';
import { misfit, nasty, url } from '@pressroom/testkit/slack';
import { filterWords } from '../commands/shared/filter-words.ts';
import { TEXTS } from '../texts/languages.ts';
import { readEvents } from './read-events.ts';
import { renderingMessage, variantFilter, wantsRendering } from './renderings.ts';

const KEY = 'aaaabbbbccccdddd';

test.each(Object.values(TEXTS))('$code: a rendering fits, and mentions nobody', (texts) => {
  const shown = fc.tuple(
    fc.record({
      content: fc.record({ guid: fc.uuid(), title: nasty, url: fc.option(url) }),
      time: fc.constant(Date.parse('2026-11-22T13:40:51Z')),
    }),
    fc.record({ name: nasty, values: fc.dictionary(nasty, nasty), url }),
    fc.option(fc.constant('F123')),
  );
  expect(
    misfit(shown.map(([event, variant, file]) => renderingMessage(event, variant, file, texts))),
  ).toBeNull();
});

test('a subscription is to every rendering, or to those of one variant, whatever its name', () => {
  const word = variantFilter(KEY, 'North, and / South');
  expect(word).not.toContain(',');
  expect([word, 'renderings', 'deploys'].map((one) => wantsRendering(one, KEY))).toEqual([true, true, false]);
  expect([word, 'renderings'].map((one) => wantsRendering(one, 'default'))).toEqual([false, true]);
  expect(filterWords(['failures', word], TEXTS.en)).toBe(
    'failures, scheduled renderings of North, and / South',
  );
});

test('what a schedule rendered is told; other renderings, held ones and those that the report keeps are not', () => {
  const rendering = { variant: KEY, rendering_id: 7, is_scheduled: true, is_suppressed: false };
  const event = {
    id: '1',
    type: 'render.finished',
    code: 0,
    time: '2026-11-22T13:40:51Z',
    content: { guid: 'g', name: 'sales', title: 'Sales', url: 'https://example.com/content/g/' },
    rendering,
  };
  const read = (...events: object[]) => readEvents(JSON.stringify({ events }))!;
  expect(read(event)).toMatchObject([{ what: 'rendered', variant: KEY, content: { title: 'Sales' } }]);
  const others = [
    { ...event, type: 'render.started', code: null },
    { ...event, rendering: { ...rendering, is_scheduled: false } },
    { ...event, rendering: { ...rendering, is_suppressed: true } },
    { ...event, rendering: { ...rendering, rendering_id: null } },
    { ...event, rendering: null },
    { ...event, rendering: 'default' },
  ];
  expect(read(...others)).toEqual([]);
});
