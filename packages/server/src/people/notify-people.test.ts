// Covers who gets mails about content and requests.
import { type Logger, pino } from 'pino';
import { expect, test } from 'vitest';
import type { Mail } from '../platform/mailer.ts';
import { mailEach } from './notify-people.ts';
import type { UserRow } from './store.ts';

const user = (email: string, more: Partial<UserRow> = {}) =>
  ({ email, username: email, locked: 0, confirmed: 1, ...more }) as UserRow;

test('people who are locked, have no address or have not confirmed it get no mail', async () => {
  const sent: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void sent.push(mail) };
  const users = [
    user('a@example.com'),
    user(''),
    user('locked@example.com', { locked: 1 }),
    user('somebody-elses@example.com', { confirmed: 0 }),
  ];
  await mailEach({ mailer, log: pino({ level: 'silent' }) }, users, 'Subject', 'Text');
  expect(sent.map(({ to }) => to)).toEqual(['a@example.com']);
});

test('a mail server that does not respond holds up nobody, and its failure is logged', async () => {
  const [refused, logged] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown[]>()];
  const mailer = { send: () => refused.promise };
  const log = { warn: (...args: unknown[]) => logged.resolve(args) } as unknown as Logger;
  await mailEach({ mailer, log }, [user('a@example.com')], 'Subject', 'Text', 1);
  const error = new Error('timed out');
  refused.reject(error);
  expect(await logged.promise).toEqual([error, expect.any(String), 'a@example.com', 'Subject']);
});
