import { misfit, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../texts/languages.ts';
import { browserLinkMessage, linkModal, linkNeeded } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: the offer to link fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(fc.uuid().map((pending) => linkNeeded(pending, texts)))).toBeNull();
});

test.each(LANGUAGES)(
  '$code: page and code of a browser sign-in fit Slack’s limits and mention nobody',
  (texts) => {
    const signIn = fc.record({ server: fc.webUrl(), user_code: nasty });
    expect(
      misfit(
        signIn.map(({ server, user_code }) =>
          browserLinkMessage(
            server,
            {
              user_code,
              verification_uri: server,
              verification_uri_complete: server,
              expires_in: 600,
              interval: 5,
            },
            texts,
          ),
        ),
      ),
    ).toBeNull();
  },
);

test.each(LANGUAGES)('$code: the modal for an API key fits Slack’s limits and mentions nobody', (texts) => {
  expect(
    misfit(
      fc.tuple(url, nasty).map(([server, metadata]) => linkModal(server, metadata, '/pressroom', texts)),
      'modal',
    ),
  ).toBeNull();
});
