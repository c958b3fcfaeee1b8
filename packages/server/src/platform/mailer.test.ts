// Covers the addresses that mails are sent to.
import { openMailbox } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { createMailer } from './mailer.ts';

test.each([
  'a@x.example, b@y.example',
  'friends: a@x.example, b@y.example;',
  'a@x.example\r\nBcc: b@y.example',
])('a mail to %j goes to one mailbox', async (to) => {
  await using mailbox = await openMailbox();
  const mailer = createMailer(mailbox.url, 'pressroom@example.com');
  await mailer.send({ to, subject: 'Hello', text: 'Hello' });
  const mail = await mailbox.next();
  expect(/^To: (.*)$/m.exec(mail)?.[1]).toMatch(/^<"[^"]+"@[^"@]+>$/);
});
