// Covers unused content: its owner is asked, and keeps it or not.
import {
  openMailbox,
  publish,
  startTestServer,
  type Mailbox,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findContent, insertContent } from '../../packages/server/src/content/store.ts';
import { announceUnused } from '../../packages/server/src/content/unused/announce.ts';
import { claimNotice } from '../../packages/server/src/content/unused/store.ts';
import { createMailer } from '../../packages/server/src/platform/mailer.ts';

const DAY = 86_400_000_000;
let server: TestServer;
let mailbox: Mailbox;
/** Microseconds that the server's clock is ahead. */
let ahead = 0;
const clock = { now: () => Date.now() * 1000 + ahead };
let owner: Person;
let email: string;
let guid: string;

beforeAll(async () => {
  mailbox = await openMailbox();
  server = await startTestServer({ clock, settings: { 'Usage.UnusedAfter': 90 * 86_400 } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await mailbox[Symbol.asyncDispose]();
});
beforeEach(async () => {
  email = `${crypto.randomUUID()}@example.com`;
  owner = await server.person('publisher', { email });
  const fields = { title: 'Press review', access_type: 'logged_in' };
  ({ guid } = await publish(owner, { 'index.html': '<p>' }, { fields }));
});

/** Runs what housekeeping does once a day. */
const tell = () => {
  // Not set on the server: one that sends mail requires confirmed accounts.
  const mailer = createMailer(mailbox.url, 'pressroom@example.com');
  return announceUnused({ ...server.running.services, mailer }, 'https://pressroom.example');
};
const listed = async (person = owner) =>
  (await person.call('GET', '/v1/unused-content')).body.map(
    (one: { content_guid: string }) => one.content_guid,
  );
/** Returns the owner's new mails. */
async function mails(): Promise<string[]> {
  const all: string[] = [];
  while (mailbox.waiting > 0) all.push(await mailbox.next());
  return all.filter((mail) => mail.includes(email));
}
const wait = (days: number) => (ahead += days * DAY);
const keep = (person = owner) => person.call('POST', `/v1/content/${guid}/keep`);

test('is listed for its owner and administrators, and the owner is mailed once', async () => {
  wait(89);
  expect(await listed()).toEqual([]);
  wait(2);
  expect(await listed()).toEqual([guid]);
  expect((await owner.call('GET', '/v1/unused-content')).body).toMatchObject([
    {
      content_title: 'Press review',
      owner_guid: owner.guid,
      owner_username: owner.username,
      last_used_time: null,
    },
  ]);
  expect(await listed(await server.administrator())).toContain(guid);
  expect(await listed(await server.person('publisher'))).toEqual([]);
  // Another server of the same database announces at the same time.
  const told = await Promise.all([tell(), tell()]);
  expect(told[0] + told[1]).toBeGreaterThan(0);
  expect(await tell()).toBe(0);
  const [mail, ...more] = await mails();
  expect(more).toEqual([]);
  expect(mail).toContain('Subject: Nobody uses Press review');
  expect(mail).toContain(`Press review: https://pressroom.example/__dashboard__/content/${guid}`);
  expect(mail).toContain('Keep or delete it: https://pressroom.example/__dashboard__/unused');
});

test('keeping it requires the right to change it, and postpones the next question', async () => {
  wait(91);
  const stranger = await server.person('publisher');
  expect(await keep(stranger)).toMatchObject({ status: 403, body: { code: 21 } });
  expect(await listed()).toEqual([guid]);
  expect(await keep()).toMatchObject({ status: 204 });
  expect(await listed()).toEqual([]);
  const log = await (await server.administrator()).call('GET', '/v1/audit_logs?limit=1&ascOrder=false');
  expect(log.body.results).toMatchObject([
    {
      action: 'keep_application',
      event_description: expect.stringContaining(`(${guid}), which nobody used`),
    },
  ]);
  wait(89);
  expect(await listed()).toEqual([]);
  wait(2);
  expect(await listed()).toEqual([guid]);
  await tell();
  expect(await mails()).toHaveLength(1);
});

test('APIs are not listed, as their use is not counted', async () => {
  const files = {
    'app.py':
      'def app(environ, start):\n    start("200 OK", [("Content-Type", "text/plain")])\n    return [b"x"]\n',
  };
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const { guid: api } = await publish(owner, files, { metadata });
  wait(91);
  expect(await listed()).toEqual([guid]);
  expect(api).not.toBe(guid);
});

test.each([
  ['a visit', () => owner.call('GET', `//content/${guid}/`)],
  ['a deploy', () => publishAgain()],
])('%s counts as use', async (_what, use) => {
  wait(91);
  expect(await listed()).toEqual([guid]);
  await use();
  await expect.poll(() => listed()).toEqual([]);
});

test('an event notifies webhooks', async () => {
  const { storage } = server.running.services;
  const config = { ...server.running.services.config, 'Events.Webhooks': 'https://bot.example' };
  wait(91);
  await announceUnused({ ...server.running.services, config, mailer: null }, 'https://pressroom.example');
  const events = await storage.db
    .selectFrom('outgoing_event')
    .selectAll()
    .where('content_guid', '=', guid)
    .execute();
  const content = await storage.db
    .selectFrom('content')
    .selectAll()
    .where('guid', '=', guid)
    .executeTakeFirstOrThrow();
  expect(events).toMatchObject([
    { type: 'content.unused', user_guid: owner.guid, started_time: content.last_deployed_time, task_id: '' },
  ]);
});

test('content with a schedule, or never live, is not listed', async () => {
  await server.running.services.storage.db
    .insertInto('schedule')
    .values({
      content_guid: guid,
      variant_key: '',
      cron: '0 6 * * *',
      timezone: 'UTC',
      user_guid: owner.guid,
      next_time: null,
      created_time: clock.now(),
    })
    .execute();
  await owner.call('POST', '/v1/content', { body: { name: 'never-live' } });
  wait(91);
  expect(await listed()).toEqual([]);
});

async function publishAgain(): Promise<void> {
  const { body } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} });
  await expect
    .poll(async () => (await owner.call('GET', `/v1/tasks/${body.task_id}`)).body.finished)
    .toBe(true);
}

test('the owner is asked even if a thousand items are unused for longer, whose owners were asked', async () => {
  wait(91);
  const { db } = server.running.services.storage;
  const content = (await findContent(db, guid))!;
  // Above the others in the list.
  const guids = Array.from(
    { length: 1000 },
    (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  );
  await server.running.services.storage.write(async (tx) => {
    for (const one of guids) {
      await insertContent(tx, { ...content, guid: one, name: one, site: null });
      await claimNotice(tx, one, clock.now(), clock.now());
    }
  });
  expect(await tell()).toBeGreaterThan(0);
  expect(await mails()).toEqual([expect.stringContaining('Subject: Nobody uses Press review')]);
});
