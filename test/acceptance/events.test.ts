// Covers deploy events to webhooks: signed, in order, sent again until accepted.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServer } from '@pressroom/server';
import {
  finishedTask,
  freePort,
  grant,
  makeArchive,
  openMailbox,
  publish,
  startTestServer,
  testLog,
  type Person,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { endRequests } from '../../packages/server/src/content/access-requests/expire.ts';

interface Received {
  readonly id: string;
  readonly type: string;
  readonly content: { guid: string; name: string; bundle_id: string | null };
  readonly actor: { guid: string; username: string };
  readonly task_id: string | null;
  readonly reason: string | null;
  readonly code: number | null;
  readonly stages: { name: string }[];
}

interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly events: Received[];
  /** Statuses of the next responses; after those, 204. */
  readonly statuses: number[];
  readonly signatures: { given: string; body: string }[];
  until(count: number): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  const events: Received[] = [];
  const statuses: number[] = [];
  const signatures: { given: string; body: string }[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      signatures.push({ given: String(request.headers['x-pressroom-signature']), body });
      const status = statuses.shift() ?? 204;
      if (status === 204) events.push(...(JSON.parse(body) as { events: Received[] }).events);
      response.writeHead(status).end();
      server.emit('received');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    events,
    statuses,
    signatures,
    async until(count) {
      while (events.length < count) await once(server, 'received');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('webhooks get draft and release events with the address of the draft', async () => {
  await using receiver = await startReceiver();
  await using server = await startTestServer({
    settings: { 'Events.Webhooks': receiver.url, 'Events.WebhookSecret': 'a signing key' },
  });
  const [owner, other] = [await server.person('publisher'), await server.person('publisher')];
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'release' } })).body;
  await grant(owner, guid, other, 'owner');
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const raw = makeArchive({ 'index.html': 'x' });
  const bundle_id = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body.id;
  const deploy = (body: object) =>
    owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id, ...body } });
  const { task_id } = (await deploy({ activate: false })).body;
  await finishedTask(owner, task_id);
  await deploy({});
  await other.call('POST', `/v1/content/${guid}/releases/${bundle_id}/approve`);
  const reason = { body: { reason: 'It burns' } };
  await owner.call('POST', `/v1/content/${guid}/releases/${bundle_id}/override`, reason);
  await receiver.until(5);
  expect(receiver.events.map(({ type }) => type)).toEqual([
    'draft.started',
    'draft.finished',
    'release.asked',
    'release.approved',
    'release.overridden',
  ]);
  expect(receiver.events[1]).toMatchObject({
    draft_url: `${server.url}/content/${guid}/_bundle${bundle_id}/`,
    content: { bundle_id: null },
  });
  expect(receiver.events[3]).toMatchObject({
    draft_url: null,
    task_id: null,
    bundle_id,
    actor: { username: other.username },
  });
});

test('webhooks get an event with the reason when a release is withdrawn, and one when its content is deleted', async () => {
  await using receiver = await startReceiver();
  await using server = await startTestServer({
    settings: { 'Events.Webhooks': receiver.url, 'Events.WebhookSecret': 'a signing key' },
  });
  const owner = await server.person('publisher');
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'prices' } })).body;
  const path = `/v1/content/${guid}`;
  const rule = () => owner.call('PUT', `${path}/approval-rule`, { body: { approvals: 1 } });
  await rule();
  const ask = async () => {
    const raw = makeArchive({ 'index.html': 'x' });
    const { id } = (await owner.call('POST', `${path}/bundles`, { raw })).body;
    await owner.call('POST', `${path}/deploy`, { body: { bundle_id: id } });
    return id as string;
  };
  const [first, second] = [await ask(), await ask()];
  await owner.call('DELETE', `${path}/bundles/${second}`);
  const third = await ask();
  await owner.call('DELETE', `${path}/approval-rule`);
  await rule();
  const fourth = await ask();
  await owner.call('DELETE', path);
  await receiver.until(9);
  const withdrawn = receiver.events.filter(({ type }) => type === 'release.withdrawn');
  const about = { task_id: null, actor: { username: owner.username } };
  expect(withdrawn).toMatchObject([
    { ...about, bundle_id: first, reason: `bundle ${second} is to be released`, content: { guid } },
    { ...about, bundle_id: second, reason: 'its bundle was deleted', content: { guid } },
    { ...about, bundle_id: third, reason: 'no approval is needed any more', content: { guid } },
    { ...about, bundle_id: fourth, reason: 'its content was deleted', content: { guid, name: null } },
  ]);
  expect(receiver.events.at(-1)).toMatchObject({
    ...about,
    type: 'content.deleted',
    content: { guid, name: null },
  });
});

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres')
  test('webhooks get each event from one of two servers, in order', async () => {
    await using receiver = await startReceiver();
    await using server = await startTestServer({
      settings: { 'Events.Webhooks': receiver.url, 'Events.WebhookSecret': 'a signing key' },
    });
    const second = await startServer({ config: server.running.services.config, log: testLog() });
    const owner = await server.person('publisher');
    for (let count = 1; count <= 8; count += 1) {
      await publish(owner, { 'index.html': 'x' });
      await receiver.until(2 * count);
    }
    await second[Symbol.asyncDispose]();
    const ids = receiver.events.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  });

test('webhooks get events for the start and the rollback of a canary with the reason', async () => {
  await using receiver = await startReceiver();
  await using server = await startTestServer({
    settings: { 'Events.Webhooks': receiver.url, 'Events.WebhookSecret': 'a signing key' },
  });
  const owner = await server.person('publisher');
  const app =
    'def app(environ, start):\n    start("200 OK", [("Content-Type", "text/plain")])\n    return [b"x"]\n';
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const { guid } = await publish(owner, { 'app.py': app }, { metadata });
  const raw = makeArchive({ 'app.py': `# next\n${app}` }, { ...metadata });
  const bundle_id = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body.id;
  const body = { bundle_id, canary: { share: 50 } };
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  await finishedTask(owner, task_id);
  await owner.call('POST', `/v1/content/${guid}/canary/back`, { body: { reason: 'odd' } });
  await receiver.until(6);
  const [begun, back] = receiver.events.filter(({ type }) => type.startsWith('canary.'));
  expect(begun).toMatchObject({
    type: 'canary.started',
    task_id,
    bundle_id,
    reason: null,
    content: { guid },
  });
  expect(back).toMatchObject({
    type: 'canary.back',
    bundle_id,
    reason: `${owner.username} rolled back: odd`,
  });
  expect(back!.actor.username).toBe(owner.username);
  expect(receiver.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['deploy.finished', 'draft.started', 'draft.finished']),
  );
});

test('webhooks get access and role requests and decisions, with who may decide', async () => {
  await using receiver = await startReceiver();
  await using server = await startTestServer({
    settings: { 'Events.Webhooks': receiver.url, 'Events.WebhookSecret': 'a signing key' },
  });
  const [owner, colleague] = [await server.person('publisher'), await server.person('publisher')];
  const guest = await server.person('viewer', { first_name: 'Gus' });
  const admin = await server.person('administrator', { email: 'a@example.com' });
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'plans' } })).body;
  await grant(owner, guid, colleague, 'owner');
  const requests = `/v1/content/${guid}/access-requests`;
  const { id } = (await guest.call('POST', requests, { body: { message: 'For the report' } })).body;
  await colleague.call('PUT', `${requests}/${id}`, { body: { decision: 'grant' } });
  await guest.call('POST', '/v1/role-requests', { body: {} });
  await admin.call('PUT', `/v1/role-requests/${guest.guid}`, { body: { decision: 'decline' } });
  await receiver.until(4);
  const user = { guid: guest.guid, username: guest.username, name: `Gus (${guest.username})` };
  const named = ({ guid: who, username }: { guid: string; username: string }) => ({ guid: who, username });
  expect(receiver.events).toMatchObject([
    {
      type: 'access.asked',
      content: { guid, name: 'plans' },
      actor: { guid: guest.guid },
      request: {
        id,
        message: 'For the report',
        role: null,
        user,
        deciders: [named(owner), named(colleague)],
      },
    },
    { type: 'access.granted', actor: { guid: colleague.guid }, request: { id, role: 'viewer', user } },
    { type: 'role.asked', content: null, request: { id: guest.guid, user } },
    { type: 'role.declined', content: null, actor: { guid: admin.guid }, request: { role: null, user } },
  ]);
});

test('a request undecided for 30 days sends one event and a mail to the requester', async () => {
  await using receiver = await startReceiver();
  await using mailbox = await openMailbox();
  let ahead = 0;
  await using server = await startTestServer({
    clock: { now: () => Date.now() * 1000 + ahead },
    settings: { 'Events.Webhooks': receiver.url, 'Events.WebhookSecret': 'a signing key' },
  });
  const owner = await server.person('publisher');
  await server.person('administrator', { email: 'a@example.com' });
  const guest = await server.person('viewer', { email: 'g@example.com' });
  const refused = await server.person('viewer');
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'plans' } })).body;
  const requests = `/v1/content/${guid}/access-requests`;
  const ask = async (person: Person) => (await person.call('POST', requests, { body: {} })).body.id as string;
  const [open, declined] = [await ask(guest), await ask(refused)];
  await owner.call('PUT', `${requests}/${declined}`, { body: { decision: 'decline' } });
  await guest.call('POST', '/v1/role-requests', { body: {} });
  // No mail server until here.
  await server.restart({ 'Mail.URL': mailbox.url });
  const { services } = server.running;
  expect(await endRequests(services, server.url)).toBe(0);
  ahead = 30 * 24 * 3_600_000_000 + 1_000_000;
  const both = await Promise.all([endRequests(services, server.url), endRequests(services, server.url)]);
  expect(both[0]! + both[1]!).toBe(2);
  await receiver.until(6);
  const about = {
    actor: { guid: guest.guid },
    request: { user: { guid: guest.guid }, role: null, deciders: [] },
  };
  expect(receiver.events.slice(4)).toMatchObject([
    { type: 'access.expired', content: { guid }, ...about },
    { type: 'role.expired', content: null, ...about },
  ]);
  expect(receiver.events[4]).toMatchObject({ request: { id: open } });
  const mails = [await mailbox.next(), await mailbox.next()];
  for (const mail of mails) expect(mail).toContain('To: g@example.com');
  const [first, second] = mails.toSorted((a, b) => Number(b.includes(guid)) - Number(a.includes(guid)));
  expect(first).toContain(`/content/${guid}/ in 30 days`);
  expect(first).not.toContain('plans');
  expect(second).toContain('for the publisher role in 30 days');
  expect(mailbox.waiting).toBe(0);
  // They may ask again, as a new request.
  expect(await ask(guest)).not.toBe(open);
});

test('every webhook gets signed events for a deploy, and again after a failure', async () => {
  await using first = await startReceiver();
  await using second = await startReceiver();
  first.statuses.push(503);
  const lines: string[] = [];
  const port = await freePort();
  await using server = await startTestServer({
    settings: {
      'Events.Webhooks': `${first.url} ${second.url}`,
      'Events.WebhookSecret': 'a signing key',
      'Metrics.PrometheusListen': `127.0.0.1:${port}`,
    },
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  });
  const person = await server.person('publisher');
  const { guid, task } = await publish(person, { 'index.html': 'hello' });
  await Promise.all([first.until(2), second.until(2)]);
  expect(first.events).toEqual(second.events);
  const common = {
    content: { guid },
    actor: { guid: person.guid, username: person.username },
    task_id: task.id,
  };
  expect(first.events).toMatchObject([
    { ...common, type: 'deploy.started', code: null, stages: [], content: { guid, bundle_id: null } },
    { ...common, type: 'deploy.finished', code: 0, content: { guid, bundle_id: '1' } },
  ]);
  expect(first.events[1]!.stages.map(({ name }) => name)).toEqual(['extract', 'activate']);
  expect(Number(first.events[1]!.id)).toBeGreaterThan(Number(first.events[0]!.id));
  // The refused delivery was repeated, and nothing was sent twice.
  expect(first.signatures.length).toBeGreaterThan(1);
  // The log names the receiver, but not its path, which may be secret.
  const { host } = new URL(first.url);
  const said = () => lines.map((line) => JSON.parse(line) as { msg: string; err?: { message: string } });
  expect(said().find(({ msg }) => msg.startsWith('events wait'))).toMatchObject({
    msg: `events wait: Events.Webhooks at ${host} did not accept them; again in 1 s`,
    err: { message: 'it returns 503' },
  });
  await expect
    .poll(() => said().map(({ msg }) => msg))
    .toContain(`Events.Webhooks at ${host} accepts events again`);
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await expect.poll(metrics).toContain(`pressroom_undelivered{receiver="Events.Webhooks at ${host}"} 0\n`);
  for (const { given, body } of first.signatures) {
    const [, time] = /^t=(\d+),/.exec(given)!;
    const mac = createHmac('sha256', 'a signing key').update(`${time}.${body}`).digest('hex');
    expect(given).toBe(`t=${time},v1=${mac}`);
  }
});

test('a crashed process sends an event with its exit code, is logged and counted', async () => {
  await using receiver = await startReceiver();
  const lines: string[] = [];
  const port = await freePort();
  await using server = await startTestServer({
    settings: {
      'Events.Webhooks': receiver.url,
      'Events.WebhookSecret': 'k',
      'Metrics.PrometheusListen': `127.0.0.1:${port}`,
    },
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
  });
  const person = await server.person('publisher');
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const app = `
import os
def app(environ, start_response):
    if environ["PATH_INFO"].endswith("/die"): os._exit(3)
    start_response("200 OK", [])
    return [b"alive"]
`;
  const { guid } = await publish(person, { 'app.py': app }, { metadata });
  const visit = (path: string) =>
    fetch(`${server.url}/content/${guid}/${path}`, { headers: { authorization: `Key ${person.key}` } });
  expect(await (await visit('')).text()).toBe('alive');
  await visit('die');
  await receiver.until(3);
  expect(receiver.events[2]).toMatchObject({
    type: 'process.crashed',
    content: { guid },
    actor: { guid: person.guid },
    task_id: null,
    job_key: expect.stringMatching(/^\w{16}$/),
    code: 3,
    reason: 'ended with code 3',
    reason_code: 'exited',
    reason_detail: '3',
  });
  expect(lines.map((line) => JSON.parse(line) as { msg: string })).toContainEqual(
    expect.objectContaining({ content: guid, msg: 'a process of content crashed: it ended with code 3' }),
  );
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('pressroom_content_crashes_total 1\n');
});

test('mails the owner at most daily when live content fails three times an hour', async () => {
  await using mailbox = await openMailbox();
  let ahead = 0;
  await using server = await startTestServer({ clock: { now: () => Date.now() * 1000 + ahead } });
  const person = await server.person('publisher', { email: 'o@example.com' });
  await server.restart({ 'Mail.URL': mailbox.url });
  const app = 'import os\ndef app(environ, start_response):\n    os._exit(3)\n';
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const { guid } = await publish(person, { 'app.py': app }, { metadata });
  const fail = async (times: number) => {
    const ended = async () =>
      (await person.call('GET', `/v1/content/${guid}/jobs`)).body.filter(
        (job: { exit_code: number | null }) => job.exit_code === 3,
      ).length as number;
    for (let i = 0; i < times; i += 1) {
      const before = await ended();
      await fetch(`${server.url}/content/${guid}/`, { headers: { authorization: `Key ${person.key}` } });
      await expect.poll(ended).toBe(before + 1);
    }
  };
  await fail(2);
  ahead = 3_700_000_000;
  await fail(2);
  expect(mailbox.waiting).toBe(0);
  await fail(1);
  const mail = await mailbox.next();
  expect(mail).toContain('To: o@example.com');
  expect(mail).toContain('failed 3 times within an hour: the last process ended with code 3');
  expect(mail).toContain(`/content/${guid}/logs`);
  await fail(3);
  ahead += 24 * 3_600_000_000;
  await fail(3);
  expect(await mailbox.next()).toContain('keeps failing');
  expect(mailbox.waiting).toBe(0);
});

test('a failed deploy sends its code, and delivered events are deleted', async () => {
  await using receiver = await startReceiver();
  await using server = await startTestServer({
    settings: { 'Events.Webhooks': receiver.url, 'Events.WebhookSecret': 'k' },
  });
  const person = await server.person('publisher');
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  await publish(person, { 'app.py': 'raise RuntimeError("secret words")' }, { metadata });
  await receiver.until(2);
  expect(receiver.events[1]).toMatchObject({ type: 'deploy.finished', code: 1 });
  // Output and errors are not in events: collaborators read them with a key.
  expect(JSON.stringify(receiver.events)).not.toContain('secret words');
  const { db } = server.running.services.storage;
  await expect.poll(() => db.selectFrom('outgoing_event').selectAll().execute()).toEqual([]);
});
