import { misfit, many, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outcomeMessage, requestMessage } from '../../deliver/requests/request-message.ts';
import { TEXTS } from '../../texts/languages.ts';
import { requestsMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);
const time = '2026-11-22T13:40:51Z';
const message = fc.option(nasty);
const access = fc.record({
  id: fc.nat().map(String),
  content_guid: fc.uuid(),
  user_guid: fc.uuid(),
  username: nasty,
  message,
  created_time: fc.constant(time),
  content_name: nasty,
  content_title: fc.option(nasty),
});
const roles = fc.record({ user_guid: fc.uuid(), username: nasty, message, created_time: fc.constant(time) });

const lists = fc.record({
  access: many(access),
  roles: many(roles),
  server: fc.constant('https://content.example.com'),
});
const view = fc.record({
  kind: fc.constantFrom('access' as const, 'role' as const),
  request: nasty,
  content: fc.option(fc.uuid()),
  title: nasty,
  url: fc.option(url),
  who: nasty,
  message,
  state: fc.constantFrom('asked' as const, 'granted' as const, 'declined' as const, 'expired' as const),
  role: fc.constantFrom('viewer', 'owner', 'publisher', null),
  decided_by: nasty,
  decided_time: fc.constant(Date.parse(time)),
});

test.each(LANGUAGES)('$code: a list of requests fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(lists.map((found) => requestsMessage(found, texts)))).toBeNull();
});

test.each(LANGUAGES)('$code: a request and its outcome fit Slack’s limits and mention nobody', (texts) => {
  expect(misfit(view.map((one) => requestMessage(one, texts)))).toBeNull();
  expect(
    misfit(
      view.map((one) =>
        outcomeMessage({ ...one, what: one.state === 'asked' ? 'granted' : one.state }, texts),
      ),
    ),
  ).toBeNull();
});
