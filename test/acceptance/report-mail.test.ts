// Covers reports by mail over real SMTP: sent under the report's condition, retried on failure.
import { errors } from '@pressroom/api/contract';
import {
  createBrowser,
  finishedTask,
  makeQuickRenderer,
  openMailbox,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
} from '@pressroom/testkit';
import type { CallResponse, Mailbox, Person, TestServer } from '@pressroom/testkit';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findContent } from '../../packages/server/src/content/store.ts';
import { createDeliveries } from '../../packages/server/src/mailing/deliveries.ts';
import { startMails } from '../../packages/server/src/mailing/send-mails.ts';
import { insertDeliveries, listDeliveries, updateDelivery } from '../../packages/server/src/mailing/store.ts';
import { findUser, updateUserRow } from '../../packages/server/src/people/store.ts';
import type { Mail } from '../../packages/server/src/platform/mailer.ts';
import { createSchedules } from '../../packages/server/src/schedules/schedules.ts';
import { insertTask } from '../../packages/server/src/tasks/store.ts';

/** Over PostgreSQL run only tests about SQL, transactions and several servers. */
const isAlone = process.env.PRESSROOM_TEST_ENGINE !== 'postgres';
const REPORT = quickDocument(
  `import json
print("Numbers of", region)
write("numbers.csv", "1")
mail = {
    "rsc_email_subject": "Sales of " + region,
    "rsc_email_attachments": ["numbers.csv", "../../etc/passwd"],
    "rsc_email_suppress_scheduled": quiet,
}
write(".pressroom-mail.json", json.dumps(mail))`,
  { region: 'North', quiet: false },
);

const stack = new AsyncDisposableStack();
let mailbox: Mailbox;
let server: TestServer;
let owner: Person;
let viewer: Person;
let guid: string;
/** The response of a server without mail. */
let unsent: CallResponse;

beforeAll(async () => {
  mailbox = stack.use(await openMailbox());
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(
    await startTestServer({
      settings: { ...settings, 'Mail.AllowedDomains': 'partner.example', 'Mail.Attempts': 2 },
    }),
  );
  owner = await server.person('publisher');
  viewer = await server.person('viewer', { email: 'vera@example.com' });
  const fields = { name: 'sales', title: 'Sales', access_type: 'logged_in' };
  ({ guid } = await publish(owner, REPORT, { metadata: QUICK_DOCUMENT, fields }));
  unsent = await owner.call('POST', at('/variants/default/send'));
  // From here on, all accounts count as confirmed.
  await server.restart({ 'Mail.URL': mailbox.url });
});
afterAll(() => stack.disposeAsync());

const at = (path: string) => `/v1/content/${guid}${path}`;
const setRecipients = (key: string, recipients: object[], person = owner) =>
  person.call('PUT', at(`/variants/${key}/recipients`), { body: { recipients } });
const deliveries = async () => (await owner.call('GET', at('/deliveries'))).body;
const vera = () => ({ type: 'user', value: viewer.guid });

/** Sends the mails that are due: the server itself looks every few seconds. */
async function sendDue(): Promise<void> {
  const { services } = server.running;
  const options = { ...services, mailer: services.mailer!, contentUrl: () => server.url };
  await using mails = startMails(options);
  await mails.send();
}
const send = async (key: string) => {
  const response = await owner.call('POST', at(`/variants/${key}/send`));
  await sendDue();
  return response;
};

/** As if the schedule were due: renders and mails, unless the server has seen it first. */
async function renderAsScheduled(key: string, content = guid): Promise<void> {
  const { services } = server.running;
  const { db } = services.storage;
  const schedule = db.updateTable('schedule').where('content_guid', '=', content);
  await schedule.set({ next_time: 1 }).where('variant_key', '=', key).execute();
  using schedules = createSchedules(services);
  for (const task of await schedules.runDue()) await finishedTask(owner, task);
  await sendDue();
}

test('rejects sending without a mail server with error 43', () => {
  expect(unsent).toMatchObject({ status: 400, body: { code: 43 } });
});

test('recipients are users and groups, and outside addresses only if an administrator allows it', async () => {
  const outside = (value: string) => setRecipients('default', [{ type: 'address', value }]);
  expect(await outside('a@other.example')).toMatchObject({ status: 403, body: { code: 22 } });
  expect(await outside('not an address')).toMatchObject({ status: 400, body: { code: 25 } });
  expect(await outside('a@partner.example\r\nBcc: b@other.example')).toMatchObject({ body: { code: 25 } });
  expect(await setRecipients('default', [{ type: 'user', value: guid }])).toMatchObject({
    body: { code: 9 },
  });
  expect(await setRecipients('default', [vera()], viewer)).toMatchObject({ status: 403, body: { code: 21 } });
  const set = await setRecipients('default', [vera(), { type: 'address', value: 'Ann@Partner.example' }]);
  expect(set.body).toEqual([
    { type: 'address', value: 'ann@partner.example', name: 'ann@partner.example' },
    { ...vera(), name: viewer.username },
  ]);
});

if (isAlone) {
  test('the schedule leads to the recipients, and the dashboard looks up no more names than there may be', async () => {
    const browser = createBrowser();
    await browser.submit(`${server.url}/__login__`, { username: owner.username, password: 'correct horse' });
    const root = `${server.url}/__dashboard__`;
    const page = `${root}/content/${guid}`;
    expect((await browser.request(`${page}/settings`)).text).toContain(
      '/variants/default#mail">Mail scheduled',
    );
    expect((await browser.request(`${page}/variants/default`)).text).toContain('<h2 id="mail">');
    const body = new URLSearchParams({
      recipients: Array.from({ length: 101 }, (_, i) => `nobody${i}`).join(),
      xsrf: browser.cookie(`${root}/`, 'RSC-XSRF') ?? '',
    });
    const path = `${page}/variants/default/recipients`;
    const refused = await browser.request(path, { method: 'POST', body });
    expect(refused.text).toContain('A variant has at most 100 recipients.');
  });
}

test('mails a scheduled rendering with its page and the named files', async () => {
  await owner.call('PUT', at('/schedule'), { body: { cron: '0 6 1 1 *' } });
  await renderAsScheduled('');
  const mails = [await mailbox.next(), await mailbox.next()];
  expect(mails.map((mail) => /^To: (.*)$/m.exec(mail)?.[1] ?? '').toSorted()).toEqual([
    'ann@partner.example',
    'vera@example.com',
  ]);
  for (const mail of mails) {
    expect(subjectOf(mail)).toBe('Sales of North');
    expect(mail).toMatch(/^Auto-Submitted: auto-generated$/m);
    const files = [...mail.matchAll(/filename="?([^"\n;]+)/g)].map(([, name = '']) => name);
    expect(files).toEqual(['numbers.csv']);
    expect(mail.replaceAll('=20', ' ')).toContain('Numbers of North');
  }
  await expect
    .poll(deliveries)
    .toEqual([
      expect.objectContaining({ state: 'sent', attempts: 1, sent_time: expect.any(String) }),
      expect.objectContaining({ state: 'sent', attempts: 1 }),
    ]);
  // The file is for the server, not for visitors.
  expect((await owner.call('GET', `//content/${guid}/.pressroom-mail.json`)).status).toBe(404);
  expect((await owner.call('GET', `//content/${guid}/numbers.csv`)).status).toBe(200);
});

test('a schedule that is due during another task of the document runs afterwards', async () => {
  const { db } = server.running.services.storage;
  const later = Number.MAX_SAFE_INTEGER;
  const ids = { id: 'draft', content_guid: guid, bundle_id: null, user_guid: owner.guid };
  await insertTask(db, { ...ids, kind: 'draft', node: 'x', lease_until: later, created_time: later });
  await renderAsScheduled('');
  const mails = [await mailbox.next(), await mailbox.next()];
  expect(mails.map(subjectOf)).toEqual(['Sales of North', 'Sales of North']);
  await db.deleteFrom('task').where('id', '=', 'draft').execute();
});

test('a quiet report is not mailed, and a private variant has no other recipients', async () => {
  const made = await owner.call('POST', at('/variants'), {
    body: { name: 'Quiet', values: { region: 'South', quiet: true }, schedule: { cron: '0 6 1 1 *' } },
  });
  const { key, task_id } = made.body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  expect(await setRecipients(key, [vera()])).toMatchObject({ status: 403, body: { code: 93 } });
  await owner.call('PATCH', at(`/variants/${key}`), { body: { visibility: 'public' } });
  expect((await setRecipients(key, [vera()])).status).toBe(200);
  await renderAsScheduled(key);
  await expect
    .poll(async () => (await deliveries())[0])
    .toMatchObject({ variant_key: key, state: 'suppressed', address: '', attempts: 0 });
  // On request it is mailed nevertheless.
  expect((await send(key)).body).toEqual({ mails: 1 });
  expect(subjectOf(await mailbox.next())).toBe('Sales of South');
});

async function retryNow(): Promise<void> {
  const { db } = server.running.services.storage;
  await db.updateTable('mail_delivery').set({ next_time: 1 }).where('state', '=', 'waiting').execute();
  await sendDue();
}

test('a failed mail is retried, even after a restart, and fails once access is lost', async () => {
  await setRecipients('default', [vera()]);
  mailbox.refuseOnce();
  await send('default');
  const newest = async () => (await deliveries())[0];
  await expect.poll(newest).toMatchObject({
    state: 'waiting',
    attempts: 1,
    error: expect.stringContaining('451 try again later'),
    next_time: expect.any(String),
  });
  await server.restart({ 'Mail.URL': mailbox.url });
  await retryNow();
  expect(subjectOf(await mailbox.next())).toBe('Sales of North');
  await expect.poll(newest).toMatchObject({ state: 'sent', attempts: 2, error: '' });

  // The setting allows two attempts. Somebody who lost the right to view gets no mail.
  mailbox.refuseOnce();
  await send('default');
  await expect.poll(newest).toMatchObject({ state: 'waiting', error: expect.stringContaining('451') });
  await owner.call('POST', `/v1/experimental/content/${guid}`, { body: { access_type: 'acl' } });
  await retryNow();
  await expect.poll(newest).toMatchObject({ state: 'failed', error: 'this user may not view the content' });
  expect(mailbox.waiting).toBe(0);
});

test('a mail that is refused Mail.Attempts times fails with the reason of the mail server', async () => {
  await owner.call('POST', `/v1/experimental/content/${guid}`, { body: { access_type: 'logged_in' } });
  await setRecipients('default', [vera()]);
  const newest = async () => (await deliveries())[0];
  mailbox.refuseOnce();
  await send('default');
  await expect.poll(newest).toMatchObject({ state: 'waiting', error: expect.stringContaining('451') });
  mailbox.refuseOnce();
  await retryNow();
  await expect
    .poll(newest)
    .toMatchObject({ state: 'failed', attempts: 2, error: expect.stringContaining('451 try again later') });
  expect(mailbox.waiting).toBe(0);
});

test('an address that the mail server refuses for good is not tried again', async () => {
  mailbox.refuseOnce('550 5.1.1 no such user');
  await send('default');
  const newest = async () => (await deliveries())[0];
  await expect.poll(newest).toMatchObject({
    state: 'failed',
    attempts: 1,
    error: expect.stringContaining('550 5.1.1 no such user'),
  });
});

test('a rendering that could not be mailed is not mailed after a newer one, whose page it would have', async () => {
  await setRecipients('default', [vera()]);
  const newest = async (count: number) =>
    (await deliveries()).slice(0, count).map(({ state }: { state: string }) => state);
  mailbox.refuseOnce();
  await renderAsScheduled('');
  await expect.poll(() => newest(1)).toEqual(['waiting']);
  await renderAsScheduled('');
  await expect.poll(() => newest(2)).toEqual(['sent', 'failed']);
  expect((await deliveries())[1]).toMatchObject({
    error: 'a newer rendering is mailed instead',
    next_time: null,
  });
  expect(subjectOf(await mailbox.next())).toBe('Sales of North');
  expect(mailbox.waiting).toBe(0);
});

test('deliveries say that only 500 addresses are mailed, and that others were left out', async () => {
  const [{ rendering_id: renderingId }] = await deliveries();
  const to = Array.from({ length: 501 }, (_, i) => ({
    type: 'address' as const,
    value: `a${i}@partner.example`,
  }));
  const rendering = { contentGuid: guid, variant: '', renderingId, mail: null, now: 0 };
  const { storage } = server.running.services;
  await storage.write(async (tx) => {
    expect(await createDeliveries(tx, rendering, { isScheduled: true, to })).toBe(500);
    await tx
      .updateTable('mail_delivery')
      .set({ state: 'sent', next_time: null })
      .where('state', '=', 'waiting')
      .execute();
  });
  const [newest, before] = await deliveries();
  expect(newest).toMatchObject({ address: '', state: 'failed', error: expect.stringContaining('left out') });
  expect(before).toMatchObject({ address: 'a499@partner.example' });
});

test('a mail that cannot be made of its rendering fails at once', async () => {
  const mail = { rsc_email_subject: 'Lost', rsc_email_attachments: 'lost.csv' };
  const code = `import json\nwrite(".pressroom-mail.json", json.dumps(${JSON.stringify(mail)}))`;
  const { guid: other } = await publish(owner, quickDocument(code), { metadata: QUICK_DOCUMENT });
  const path = `/v1/content/${other}/variants/default`;
  await owner.call('PUT', `${path}/recipients`, { body: { recipients: [vera()] } });
  await owner.call('POST', `${path}/send`);
  await sendDue();
  const list = async () => (await owner.call('GET', `/v1/content/${other}/deliveries`)).body;
  const error = 'the rendering has no file lost.csv';
  await expect.poll(list).toMatchObject([{ state: 'failed', attempts: 1, error }]);
  expect(mailbox.waiting).toBe(0);
});

test('the owner is told once of scheduled renderings that fail in a row', async () => {
  const code = 'import os\nif os.environ["FAILS"] == "1": raise SystemExit("Error: no data")';
  const report = quickDocument(code);
  const set = (at: string, value: string) =>
    owner.call('PATCH', `/v1/content/${at}/environment`, { body: [{ name: 'FAILS', value }] });
  const { guid: other } = await publish(owner, report, {
    metadata: QUICK_DOCUMENT,
    fields: { title: 'Stock\nlist' },
  });
  await set(other, '0');
  const { task_id } = (await owner.call('POST', `/v1/content/${other}/deploy`)).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  await owner.call('PUT', `/v1/content/${other}/schedule`, { body: { cron: '0 6 1 1 *' } });
  for (const fails of ['1', '1', '0', '1']) {
    await set(other, fails);
    await renderAsScheduled('', other);
    // The page of the variant says that it failed, though an earlier rendering is shown.
    const variant = (await owner.call('GET', `/v1/content/${other}/variants/default`)).body;
    expect((await finishedTask(owner, variant.task_id)).code).toBe(Number(fails));
  }
  for (let told = 0; told < 2; told += 1) {
    const mail = await mailbox.next();
    expect(subjectOf(mail)).toBe('Stock list was not rendered');
    expect(mail).toContain('The scheduled rendering of Stock list is not shown: no data');
    expect(mail).toContain('/__dashboard__/tasks/');
  }
  expect(mailbox.waiting).toBe(0);
});

if (isAlone) {
  test('locked content is mailed to its collaborators only', async () => {
    const administrator = await server.person('administrator');
    expect(subjectOf(await mailbox.next())).toBe('Confirm your account');
    const lock = (locked: boolean) => administrator.call('PATCH', at(''), { body: { locked } });
    await owner.call('POST', `/v1/experimental/content/${guid}`, { body: { access_type: 'logged_in' } });
    const { email } = (await findUser(server.running.services.storage.db, owner.guid))!;
    const outside = { type: 'address', value: 'ann@partner.example' };
    await setRecipients('default', [vera(), outside, { type: 'user', value: owner.guid }]);
    await lock(true);
    await send('default');
    const newest = async () =>
      ((await deliveries()) as Record<'address' | 'state' | 'error', string>[])
        .slice(0, 3)
        .map(({ address, state, error }) => `${address} ${state} ${error}`)
        .toSorted();
    await expect
      .poll(newest)
      .toEqual(
        [
          'ann@partner.example failed the content is locked',
          `${email} sent `,
          'vera@example.com failed the content is locked',
        ].toSorted(),
      );
    expect(await mailbox.next()).toContain(`To: ${email}`);
    expect(mailbox.waiting).toBe(0);
    await lock(false);
  });
}

/** Creates waiting mails of one rendering on a server without mail. */
async function waitingMails(quiet: TestServer, count: number): Promise<string> {
  const { db } = quiet.running.services.storage;
  const person = await quiet.person('publisher');
  const { guid: mailed } = await publish(person, REPORT, { metadata: QUICK_DOCUMENT });
  const { rendering_id, owner_guid } = (await findContent(db, mailed))!;
  const { email } = (await findUser(db, owner_guid))!;
  const delivery = {
    content_guid: mailed,
    variant_key: '',
    rendering_id: rendering_id!,
    address: email,
    user_guid: owner_guid,
    state: 'waiting',
    attempts: 0,
    error: '',
    created_time: 1,
    sent_time: null,
  } as const;
  await insertDeliveries(
    db,
    Array.from({ length: count }, (_, i) => ({ ...delivery, next_time: i + 1 })),
  );
  return mailed;
}

if (isAlone) {
  test("an address that its user has not confirmed gets no report: it may be somebody else's", async () => {
    await using renderer = await makeQuickRenderer();
    await using quiet = await startTestServer({ settings: renderer.settings });
    const { services } = quiet.running;
    const { db } = services.storage;
    const mailed = await waitingMails(quiet, 1);
    await updateUserRow(db, (await findContent(db, mailed))!.owner_guid, { confirmed: 0 });
    const sent: Mail[] = [];
    const mailer = { send: async (mail: Mail) => void sent.push(mail) };
    await using mails = startMails({ ...services, mailer, contentUrl: () => '' });
    await mails.send();
    expect(sent).toEqual([]);
    expect(await listDeliveries(db, mailed)).toMatchObject([
      { state: 'failed', error: 'this user has not confirmed the address' },
    ]);
  });

  test('shutdown waits for the mail being sent and starts no other', async () => {
    await using renderer = await makeQuickRenderer();
    await using quiet = await startTestServer({ settings: renderer.settings });
    const { services } = quiet.running;
    const { db } = services.storage;
    const mailed = await waitingMails(quiet, 2);
    const [sending, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const mailer = { send: () => (sending.resolve(), taken.promise) };
    const mails = startMails({ ...services, mailer, contentUrl: () => '' });
    void mails.send();
    await sending.promise;
    const stopped = mails[Symbol.asyncDispose]();
    taken.resolve();
    await stopped;
    expect((await listDeliveries(db, mailed)).map(({ state }) => state)).toEqual(['waiting', 'sent']);
  });
}

test('the mail of a rendering is composed once for its recipients, and again for a retry', async () => {
  await using renderer = await makeQuickRenderer();
  await using quiet = await startTestServer({ settings: renderer.settings });
  const { services } = quiet.running;
  const { db } = services.storage;
  const mailed = await waitingMails(quiet, 3);
  const pages: unknown[] = [];
  const mailer = {
    async send({ attachments = [] }: Mail) {
      pages.push(attachments[0]?.content);
      if (pages.length === 1) throw new Error('try again');
    },
  };
  await using mails = startMails({ ...services, mailer, contentUrl: () => '' });
  await mails.send();
  const [first, ...others] = pages;
  expect(first).toBeInstanceOf(Buffer);
  expect(others).toHaveLength(2);
  for (const page of others) expect(page).toBe(first);
  const [retried] = (await listDeliveries(db, mailed)).filter(({ state }) => state === 'waiting');
  await updateDelivery(db, retried!.id, { next_time: 1 });
  await mails.send();
  expect(pages[3]).toEqual(first);
  expect(pages[3]).not.toBe(first);
});

test('a mail sent while the database fails is not sent again', async () => {
  await using renderer = await makeQuickRenderer();
  await using quiet = await startTestServer({ settings: renderer.settings });
  const { services } = quiet.running;
  const mailed = await waitingMails(quiet, 1);
  let [sent, isAway] = [0, false];
  const leaves: KyselyPlugin = {
    transformQuery({ node }) {
      if (!isAway) return node;
      isAway = false;
      throw errors.internal({ message: 'The database cannot be reached.', status: 503 });
    },
    transformResult: async ({ result }) => result,
  };
  const storage = { ...services.storage, db: services.storage.db.withPlugin(leaves) };
  const mailer = {
    async send() {
      sent += 1;
      isAway = true;
    },
  };
  await using mails = startMails({ ...services, storage, mailer, contentUrl: () => '' });
  await mails.send();
  expect(sent).toBe(1);
  expect(await listDeliveries(services.storage.db, mailed)).toMatchObject([
    { state: 'sent', attempts: 1, error: '', next_time: null },
  ]);
});

const subjectOf = (mail: string) => /^Subject: (.*)$/m.exec(mail)?.[1];
