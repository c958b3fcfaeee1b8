import { misfit, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { unusedMessage } from './unused.ts';

test.each(Object.values(TEXTS))(
  '$code: the question about unused content fits Slack’s limits and mentions nobody',
  (texts) => {
    const time = fc.constant('2026-11-22T13:40:51Z');
    const view = fc.record({
      content: fc.record({ guid: fc.uuid(), title: nasty, url: fc.option(url) }),
      used: fc.option(time),
      user: fc.option(nasty),
      deployed: fc.option(time),
      page: url,
    });
    expect(misfit(view.map((one) => unusedMessage(one, texts)))).toBeNull();
  },
);
