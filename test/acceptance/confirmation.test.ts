// Covers confirmation by e-mail, read from the mailbox of a small SMTP server (contract, 4.8).
import {
  createBrowser,
  openMailbox,
  refused,
  startTestServer,
  type Mailbox,
  type Page,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const linkIn = (mail: string) => /\/__confirm__\?ticket=[\w.-]+/.exec(mail)![0];

/** As with the button on the page behind the link. */
async function confirm(server: TestServer, mail: string): Promise<Page> {
  const [path = '', ticket = ''] = linkIn(mail).split('?ticket=');
  return createBrowser().submit(server.url + path, { ticket });
}

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
  expect((await confirm(server, first)).status).toBe(403);
  expect((await admin.call('GET', `/v1/users/${made.body.guid}`)).body.confirmed).toBe(false);

  expect(await confirm(server, second)).toMatchObject({
    status: 200,
    text: expect.stringContaining('is confirmed'),
  });
  for (const again of [await createBrowser().get(server.url + linkIn(second)), await confirm(server, second)])
    expect(again).toMatchObject({ status: 400, text: expect.stringContaining('already confirmed') });
  expect(await signIn()).toMatchObject({ status: 200, body: { confirmed: true } });

  // From here on, the address gives access to the account, so its previous holder is told about the change.
  await admin.call('PUT', `/v1/users/${made.body.guid}`, { body: { email: 'taken@example.net' } });
  const told = await mailbox.next();
  expect(told).toContain('To: mia@example.org');
  expect(told).toContain('The address of the account mia was changed');
});

test('a program that opens the link of a mail confirms nothing', async () => {
  await using mailbox = await openMailbox();
  await using server = await startTestServer();
  const admin = await server.administrator();
  await server.restart({ 'Mail.URL': mailbox.url });
  const body = { username: 'mia', email: 'mia@example.com', password: 'secret1' };
  const { guid } = (await admin.call('POST', '/v1/users', { body })).body;
  const mail = await mailbox.next();
  const isConfirmed = async () => (await admin.call('GET', `/v1/users/${guid}`)).body.confirmed;
  for (const method of ['HEAD', 'GET']) {
    const opened = await fetch(server.url + linkIn(mail), { method });
    const text = await opened.text();
    expect([opened.status, text.includes('mia@example.com')]).toEqual([200, method === 'GET']);
  }
  expect(await isConfirmed()).toBe(false);
  expect((await confirm(server, mail)).status).toBe(200);
  expect(await isConfirmed()).toBe(true);
});

describe('Somebody who changes their own address', () => {
  let mailbox: Mailbox;
  let server: TestServer;
  let viewer: Person;
  let other: Person;
  let publisher: Person;
  let contents = 0;
  beforeAll(async () => {
    mailbox = await openMailbox();
    server = await startTestServer();
    await server.administrator();
    viewer = await server.person('viewer');
    other = await server.person('viewer');
    publisher = await server.person('publisher');
    await server.restart({ 'Mail.URL': mailbox.url });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mailbox[Symbol.asyncDispose]();
  });
  const move = (email: string) => viewer.call('PUT', `/v1/users/${viewer.guid}`, { body: { email } });
  const isConfirmed = async () => (await viewer.call('GET', '/v1/user')).body.confirmed as boolean;

  /** In the dashboard, by address. */
  async function shareWith(principal: string): Promise<number> {
    const name = `shared-${(contents += 1)}`;
    const { guid } = (await publisher.call('POST', '/v1/content', { body: { name } })).body;
    const browser = createBrowser();
    const credentials = { username: publisher.username, password: 'correct horse' };
    await browser.submit(`${server.url}/__login__`, credentials);
    const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF') ?? '';
    const fields = { xsrf, principal, role: 'viewer', until: '' };
    return (await browser.submit(`${server.url}/__dashboard__/content/${guid}/access/add`, fields)).status;
  }

  test('is unconfirmed until they confirm it by the link mailed there, and can sign in meanwhile', async () => {
    expect(await isConfirmed()).toBe(true);
    expect((await move('new@example.org')).status).toBe(200);
    const [link, told] = (await Promise.all([mailbox.next(), mailbox.next()])).toSorted((a, b) =>
      a.includes('__confirm__') ? -1 : b.includes('__confirm__') ? 1 : 0,
    );
    expect(link).toContain('To: new@example.org');
    expect(told).toContain('was changed');
    expect(await isConfirmed()).toBe(false);
    // Nor does anybody share content with the address of somebody else.
    expect(await shareWith('new@example.org')).toBe(404);
    const body = { username: viewer.username, password: 'correct horse' };
    expect((await server.anonymous('POST', '//__login__', { body })).status).toBe(200);
    expect((await confirm(server, link!)).status).toBe(200);
    expect(await isConfirmed()).toBe(true);
    expect(await shareWith('new@example.org')).toBe(303);
    const { results } = (await (await server.administrator()).call('GET', '/v1/audit_logs?ascOrder=false'))
      .body as { results: { event_description: string }[] };
    expect(results.map((entry) => entry.event_description)).toContain(
      `Confirmed new@example.org, the address of user ${viewer.username} (${viewer.guid})`,
    );
  });

  test('has at most three links mailed in an hour', async () => {
    const statuses: number[] = [];
    for (const name of ['a', 'b', 'b', 'c']) statuses.push((await move(`${name}@example.net`)).status);
    expect(statuses).toEqual([200, 200, 403, 403]);
    expect((await viewer.call('GET', '/v1/user')).body.email).toBe('b@example.net');
  });

  test('an administrator’s change needs no confirmation', async () => {
    const admin = await server.administrator();
    await admin.call('PUT', `/v1/users/${other.guid}`, { body: { email: 'given@example.com' } });
    expect((await other.call('GET', '/v1/user')).body).toMatchObject({
      email: 'given@example.com',
      confirmed: true,
    });
  });
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
