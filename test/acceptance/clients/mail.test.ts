// Covers mail that other clients ask for: a rendering to people, a test to an administrator.
import {
  makeQuickRenderer,
  openMailbox,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
} from '@pressroom/testkit';
import type { Mailbox, Person, TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMails } from '../../../packages/server/src/mailing/send-mails.ts';
import { updateUserRow } from '../../../packages/server/src/people/store.ts';

const stack = new AsyncDisposableStack();
let mailbox: Mailbox;
let server: TestServer;
let owner: Person;
let helper: Person;
let viewer: Person;
let guid: string;
/** As posit-sdk and connectapi read it. */
let variant: { id: number; rendering_id: number };

beforeAll(async () => {
  mailbox = stack.use(await openMailbox());
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(await startTestServer({ settings }));
  owner = await server.person('publisher', { email: 'olga@example.com' });
  helper = await server.person('publisher', { email: 'hanna@example.com' });
  viewer = await server.person('viewer', { email: 'vera@example.com' });
  ({ guid } = await publish(owner, quickDocument('print("Numbers")', {}), { metadata: QUICK_DOCUMENT }));
  for (const [{ guid: principal_guid }, role] of [
    [viewer, 'viewer'],
    [helper, 'owner'],
  ] as const) {
    const body = { principal_guid, principal_type: 'user', role };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body });
  }
  [variant] = (await owner.call('GET', `/applications/${guid}/variants`)).body;
});
afterAll(() => stack.disposeAsync());

const send = (query: string, person = owner) => person.call('POST', `/variants/${variant.id}/sender${query}`);
const sendTest = (person: Person) => person.call('GET', '/server_settings/mail/test');

async function forget(person: Person): Promise<void> {
  await updateUserRow(server.running.services.storage.db, person.guid, { email: '' });
}

/** Sends what is due, and returns to whom. */
async function addressees(count: number): Promise<string[]> {
  const { services } = server.running;
  await using mails = startMails({ ...services, mailer: services.mailer!, contentUrl: () => server.url });
  await mails.send();
  const sent = await Promise.all(Array.from({ length: count }, () => mailbox.next()));
  return sent.map((mail) => /^To: (.*)$/m.exec(mail)?.[1] ?? '').toSorted();
}

test('without a mail server, both are error 43', async () => {
  expect(await send('')).toMatchObject({ status: 400, body: { code: 43 } });
  expect(await sendTest(await server.administrator())).toMatchObject({ status: 400, body: { code: 43 } });
  // From here on, all accounts count as confirmed.
  await server.restart({ 'Mail.URL': mailbox.url });
});

test('mails a rendering to the caller, the collaborators, or everybody with a permission', async () => {
  expect(await send(`?email=me&rendering_id=${variant.rendering_id}`)).toMatchObject({ body: { mails: 1 } });
  expect(await addressees(1)).toEqual(['olga@example.com']);
  expect(await send('?email=collaborators', helper)).toMatchObject({ body: { mails: 2 } });
  expect(await addressees(2)).toEqual(['hanna@example.com', 'olga@example.com']);
  expect(await send('?email=collaborators_viewers')).toMatchObject({ body: { mails: 3 } });
  expect(await addressees(3)).toEqual(['hanna@example.com', 'olga@example.com', 'vera@example.com']);
});

test('collaborators mail the current rendering to an audience that exists, the caller by default', async () => {
  expect(await send('', viewer)).toMatchObject({ status: 403, body: { code: 21 } });
  expect(await send('?email=everybody')).toMatchObject({ status: 400, body: { code: 25 } });
  const other = variant.rendering_id + 1;
  expect(await send(`?rendering_id=${other}`)).toMatchObject({ status: 404, body: { code: 4 } });
  await forget(helper);
  expect(await send('', helper)).toMatchObject({ status: 400, body: { code: 44 } });
});

test('an administrator gets a test mail, or the reason why there is none', async () => {
  const admin = await server.administrator();
  expect(await sendTest(owner)).toMatchObject({ status: 403, body: { code: 22 } });
  expect(await sendTest(admin)).toMatchObject({ status: 200 });
  expect(await mailbox.next()).toContain('Subject: Test mail of Pressroom');
  mailbox.refuseOnce();
  const refused = { code: 89, error: expect.stringContaining('451 try again later') };
  expect(await sendTest(admin)).toMatchObject({ status: 400, body: refused });
  await forget(admin);
  expect(await sendTest(admin)).toMatchObject({ status: 400, body: { code: 44 } });
});
