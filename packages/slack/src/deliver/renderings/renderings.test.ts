import { RefusedError } from '@pressroom/api/client';
import { misfit, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { filterWords } from '../../commands/shared/filter-words.ts';
import { TEXTS } from '../../texts/languages.ts';
import { readEvents } from '../sources/read-events.ts';
import { readRendering, renderingMessage, variantFilter, wantsRendering } from './renderings.ts';

const KEY = 'aaaabbbbccccdddd';

test.each(Object.values(TEXTS))('$code: a rendering fits Slack’s limits and mentions nobody', (texts) => {
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

test('a subscription covers every rendering, or those of one variant with any name', () => {
  const word = variantFilter(KEY, 'North, and / South');
  expect(word).not.toContain(',');
  expect([word, 'renderings', 'deploys'].map((one) => wantsRendering(one, KEY))).toEqual([true, true, false]);
  expect([word, 'renderings'].map((one) => wantsRendering(one, 'default'))).toEqual([false, true]);
  expect(filterWords(['failures', word], TEXTS.en)).toBe(
    'failures, scheduled renderings of North, and / South',
  );
});

test('reads events of scheduled renderings, but not of other, held or suppressed ones', () => {
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

/** @param variant as the subscriber sees it; null if they may not */
async function posted(variant: object | null, picture: string | null) {
  const refused = () =>
    Promise.reject(
      new RefusedError({
        operation: 'getContentVariant',
        server: 'x',
        status: 404,
        code: 4,
        message: 'no',
      } as never),
    );
  const uploads: string[] = [];
  const client = {
    getContentVariant: async () => variant ?? refused(),
    getContentVariantPicture: async () => (picture === null ? refused() : { image: picture }),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const parts = {
    clients: { ofLink: async () => ({ client, link: { key: 'KEY' } }), patient: () => client },
    slack: { upload: async ({ bytes }: { bytes: Buffer }) => (uploads.push(String(bytes)), 'F1') },
    log: pino({ level: 'silent' }),
  } as unknown as Parameters<typeof readRendering>[0];
  const rendered = { content: { guid: 'g', title: 'Sales', url: null }, variant: KEY, time: 0 };
  const who = { team: 'T', reader: 'U', texts: TEXTS.en };
  const message = await readRendering(parts, who, rendered, new AbortController().signal);
  return { uploads, types: message?.blocks.map(({ type }) => type) ?? null };
}
const shown = {
  name: 'North',
  is_default: false,
  visibility: 'public',
  values: {},
  url: 'https://example.com/',
  rendered_time: '2026-11-22T13:40:51Z',
};

test('posts the picture of the first screen, or only the link without one', async () => {
  const image = Buffer.from('png').toString('base64');
  expect(await posted(shown, image)).toEqual({
    uploads: ['png'],
    types: ['section', 'image', 'context', 'actions'],
  });
  expect((await posted(shown, null)).types).toEqual(['section', 'context', 'actions']);
});

test('posts nothing of a private variant or one that the reader cannot see', async () => {
  expect((await posted({ ...shown, visibility: 'private' }, null)).types).toBeNull();
  expect((await posted(null, null)).types).toBeNull();
  const own = { ...shown, is_default: true, visibility: 'private' };
  expect((await posted(own, null)).types).not.toBeNull();
});
