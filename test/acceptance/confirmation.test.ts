// Covers confirmation by e-mail, read from the mailbox of a small SMTP server (contract, 4.8).
import { openMailbox, refused, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

const linkIn = (mail: string) => /\/__confirm__\?ticket=[\w.-]+/.exec(mail)![0];

test('with a mail server, sign-in requires confirming the address by the mailed link', async () => {
  await using mailbox = await openMailbox();
  await using server = await startTestServer();
  const admin = await server.administrator();
  await server.restart({ 'Mail.URL': mailbox.url });
  const { anonymous } = server;
  const account = { username: 'mia', email: 'mia@example.com', password: 'secret1' };
  const made = await admin.call('POST', '/v1/users', { body: account });
  expect(made).toMatchObject({ status: 200, body: { confirmed: false } });
  const signIn = () => anonymous('POST', '//__login__', { body: account });
  expect(await signIn()).toMatchObject(refused(400, 40));

  const first = await mailbox.next();
  expect(first).toContain('mia@example.com');
  const forged = await anonymous('GET', '//__confirm__?ticket=abc.def');
  expect([forged.status, forged.bytes.toString()]).toEqual([403, expect.stringContaining('has expired')]);
  expect((await anonymous('GET', '//__confirm__')).status).toBe(403);

  // After a change of address, the old link is void and a new one is sent to the new address.
  const moved = { email: 'mia@example.org' };
  await admin.call('PUT', `/v1/users/${made.body.guid}`, { body: moved });
  const second = await mailbox.next();
  expect(second).toContain('mia@example.org');
  expect((await anonymous('GET', `/${linkIn(first)}`)).status).toBe(403);
  expect((await admin.call('GET', `/v1/users/${made.body.guid}`)).body.confirmed).toBe(false);

  expect((await anonymous('GET', `/${linkIn(second)}`)).status).toBe(200);
  const again = await anonymous('GET', `/${linkIn(second)}`);
  expect([again.status, again.bytes.toString()]).toEqual([400, expect.stringContaining('already confirmed')]);
  expect(await signIn()).toMatchObject({ status: 200, body: { confirmed: true } });

  // From here on, the address gives access to the account, so its previous holder is told about the change.
  await admin.call('PUT', `/v1/users/${made.body.guid}`, { body: { email: 'taken@example.net' } });
  const told = await mailbox.next();
  expect(told).toContain('To: mia@example.org');
  expect(told).toContain('The address of the account mia was changed');
});

test('without a mail server every account is confirmed, including the first administrator', async () => {
  await using server = await startTestServer();
  const viewer = await server.person('viewer');
  const body = { username: viewer.username, password: 'correct horse' };
  expect(await server.anonymous('POST', '//__login__', { body })).toMatchObject({
    status: 200,
    body: { confirmed: true },
  });
  const admin = await server.administrator();
  expect((await admin.call('GET', '/v1/user')).body.confirmed).toBe(true);
});

test('removing the mail server confirms the accounts that waited for a mail', async () => {
  await using mailbox = await openMailbox();
  await using server = await startTestServer();
  const admin = await server.administrator();
  await server.restart({ 'Mail.URL': mailbox.url });
  const account = { username: 'mia', email: 'mia@example.com', password: 'secret1' };
  const { guid } = (await admin.call('POST', '/v1/users', { body: account })).body;
  const isConfirmed = async () => (await admin.call('GET', `/v1/users/${guid}`)).body.confirmed;
  expect(await isConfirmed()).toBe(false);
  await server.restart({ 'Mail.URL': '' });
  expect(await isConfirmed()).toBe(true);
});

test('an unreachable mail server does not prevent the creation of an account', async () => {
  await using server = await startTestServer();
  const admin = await server.administrator();
  await server.restart({ 'Mail.URL': 'smtp://127.0.0.1:1' });
  const body = { username: 'unmailed', email: 'u@example.com', password: 'secret1' };
  expect(await admin.call('POST', '/v1/users', { body })).toMatchObject({ status: 200 });
});
