import { content, misfit, many, nasty, number, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fit } from '../blocks/fit.ts';
import { TEXTS } from '../texts/languages.ts';
import { homeView, unfurlBlocks } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: the home tab fits Slack’s limits and mentions nobody', (texts) => {
  const home = fc.record({
    server: url,
    who: fc.option(nasty),
    content: many(content),
    running: many(fc.record({ title: nasty, elapsed: number, url: fc.option(url) })),
    subscriptions: many(fc.record({ title: nasty, channel: nasty, filters: fc.array(nasty) })),
    problem: fc.option(nasty),
  });
  expect(
    misfit(
      home.map((data) => homeView(data, texts)),
      'home',
    ),
  ).toBeNull();
});

test.each(LANGUAGES)('$code: the preview of a link fits Slack’s limits and mentions nobody', (texts) => {
  expect(
    misfit(content.map((item) => fit({ text: '–', blocks: unfurlBlocks(item, 'Ada', texts) }))),
  ).toBeNull();
});
