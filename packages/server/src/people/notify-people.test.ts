// Covers who gets mails about content and requests.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Mail } from '../platform/mailer.ts';
import { mailEach } from './notify-people.ts';
import type { UserRow } from './store.ts';

test('people who are locked, have no address or have not confirmed it get no mail', async () => {
  const sent: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void sent.push(mail) };
  const user = (email: string, more: Partial<UserRow> = {}) =>
    ({ email, username: email, locked: 0, confirmed: 1, ...more }) as UserRow;
  const users = [
    user('a@example.com'),
    user(''),
    user('locked@example.com', { locked: 1 }),
    user('somebody-elses@example.com', { confirmed: 0 }),
  ];
  await mailEach({ mailer, log: pino({ level: 'silent' }) }, users, 'Subject', 'Text');
  expect(sent.map(({ to }) => to)).toEqual(['a@example.com']);
});
