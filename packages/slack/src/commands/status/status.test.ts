import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundle, content, misfit, many, nasty, url } from '@pressroom/testkit/slack';
import { overviewMessage, statusMessage } from './blocks.ts';

test('the status of content fits, and mentions nobody', () => {
  const status = fc.record({
    content,
    owner: fc.option(nasty),
    bundles: many(bundle),
    mayDeploy: fc.boolean(),
  });
  expect(misfit(fc.tuple(status, nasty).map(([view, share]) => statusMessage(view, share)))).toBeNull();
});

test('the overview of a server fits, and mentions nobody', () => {
  const overview = fc.record({
    server: url,
    version: fc.option(nasty),
    who: fc.option(nasty),
    mine: many(content),
  });
  expect(misfit(fc.tuple(overview, nasty).map(([view, share]) => overviewMessage(view, share)))).toBeNull();
});
