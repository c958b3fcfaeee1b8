// Covers the audit log: its hash chain, detection of changes, its export, and external receivers.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { COMPILE_CACHE, publish, startTestServer, type TestServer } from '@pressroom/testkit';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { verifyAudit } from '../../packages/server/src/audit/chain.ts';
import { sentEntry, type SentEntry } from '../../packages/server/src/audit/entry.ts';
import { removeOldAuditEntries } from '../../packages/server/src/audit/retention.ts';
import { startAuditSinks, startSinks, type Sink } from '../../packages/server/src/audit/sinks.ts';
import { entriesAfter } from '../../packages/server/src/audit/store.ts';
import { createSyslogSender } from '../../packages/server/src/audit/syslog.ts';
import { createWebhookSender, signatureOf } from '../../packages/server/src/audit/webhook.ts';
import { createContentKeys } from '../../packages/server/src/content/content-keys.ts';
import { findContent } from '../../packages/server/src/content/store.ts';
import type { Executor } from '../../packages/server/src/platform/database/storage.ts';

/** Over PostgreSQL run only tests about SQL, transactions and several servers. */
const isAlone = process.env.PRESSROOM_TEST_ENGINE !== 'postgres';
const run = promisify(execFile);
const silent = pino({ level: 'silent' });

/** Starts a server with some entries. */
async function busyServer(): Promise<TestServer> {
  const server = await startTestServer({ settings: {} });
  const admin = await server.administrator();
  const names = Array.from({ length: 12 }, (_, i) => `item-${i}`);
  await Promise.all(names.map((name) => admin.call('POST', '/v1/content', { body: { name } })));
  return server;
}

const verdict = ({ running }: TestServer) =>
  verifyAudit(running.services.storage.db, running.services.secrets);
const change = ({ running }: TestServer, work: (tx: Executor) => Promise<unknown>) =>
  running.services.storage.write(work);

describe('Entries of the audit log', () => {
  test('are chained in order, even with concurrent writers', async () => {
    await using server = await busyServer();
    const { linked, unlinked, problem } = await verdict(server);
    expect({ unlinked, problem }).toEqual({ unlinked: 0, problem: null });
    expect(linked).toBeGreaterThan(12);
    const rows = await entriesAfter(server.running.services.storage.db, 0, 1000);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
    for (const { action, content_guid, event_description } of rows)
      if (action === 'add_application') expect(event_description).toContain(`(${content_guid})`);
    const shown = (await (await server.administrator()).call('GET', '/v1/audit_logs?limit=1')).body
      .results[0];
    expect(Object.keys(shown).toSorted()).toEqual([
      'action',
      'event_description',
      'id',
      'time',
      'user_description',
      'user_id',
    ]);
  });

  test('return content, bundle, task and Slack user as fields, which are also filters', async () => {
    await using server = await startTestServer({ settings: {} });
    const [owner, admin] = [await server.person('publisher'), await server.administrator()];
    const content = await publish(owner, { 'index.html': '<p>' });
    await publish(owner, { 'index.html': '<p>' });
    const query = `ascOrder=false&limit=1&action=deploy_application&content_guid=${content.guid}`;
    const { body } = await admin.call('GET', `/v1/audit_events?${query}`);
    const { task } = content;
    const live = (await owner.call('GET', `/v1/content/${content.guid}`)).body;
    expect(body.results).toEqual([
      {
        id: expect.any(String),
        time: expect.any(String),
        user_guid: owner.guid,
        user_description: expect.stringContaining(owner.username),
        slack_user: null,
        action: 'deploy_application',
        description: expect.stringContaining(`task ${task.id}`),
        content_guid: content.guid,
        bundle_id: live.bundle_id,
        task_id: task.id,
      },
    ]);
    expect(body.paging.next).toBeNull();
    const all = await admin.call('GET', '/v1/audit_events?limit=500');
    expect(all.body.results.at(0).user_guid).toBeNull();
    expect(await owner.call('GET', '/v1/audit_events')).toMatchObject({ status: 403, body: { code: 22 } });
    expect((await verdict(server)).problem).toBeNull();
  });

  const changes: Record<string, { work: (tx: Executor) => Promise<unknown>; says: RegExp }> = {
    changed: {
      work: (tx) =>
        tx.updateTable('audit_log').set({ event_description: 'nothing' }).where('seq', '=', 5).execute(),
      says: /^entry \d+ was changed$/,
    },
    'attributed to another user': {
      work: (tx) => tx.updateTable('audit_log').set({ user_id: '0' }).where('seq', '=', 5).execute(),
      says: /was changed$/,
    },
    'changed to another bundle': {
      work: (tx) => tx.updateTable('audit_log').set({ bundle_id: 7 }).where('seq', '=', 5).execute(),
      says: /was changed$/,
    },
    removed: {
      work: (tx) => tx.deleteFrom('audit_log').where('seq', '=', 5).execute(),
      says: /^entries before entry \d+ are missing$/,
    },
    'removed and renumbered': {
      work: async (tx) => {
        await tx.deleteFrom('audit_log').where('seq', '=', 5).execute();
        for (let seq = 6; seq < 100; seq++)
          await tx
            .updateTable('audit_log')
            .set({ seq: seq - 1 })
            .where('seq', '=', seq)
            .execute();
      },
      says: /was changed$/,
    },
    truncated: {
      work: (tx) => tx.deleteFrom('audit_log').where('seq', '>', 8).execute(),
      says: /of the newest entries are missing$/,
    },
    'truncated together with the head': {
      work: async (tx) => {
        await tx.deleteFrom('audit_log').where('seq', '>', 8).execute();
        const [last] = await tx.selectFrom('audit_log').selectAll().where('seq', '=', 8).execute();
        await tx.updateTable('audit_head').set({ seq: 8, mac: last!.mac! }).execute();
      },
      says: /^the seal of the end was changed$/,
    },
    unlinked: {
      work: (tx) => tx.updateTable('audit_log').set({ seq: null, mac: null }).where('seq', '=', 5).execute(),
      says: /is not linked/,
    },
    'left without the head': {
      work: async (tx) => {
        await tx.deleteFrom('audit_head').execute();
      },
      says: /^the end of the log is not sealed$/,
    },
  };
  test.each(Object.entries(changes))('detects entries that were %s', async (_what, { work, says }) => {
    await using server = await busyServer();
    await change(server, work);
    expect((await verdict(server)).problem).toMatch(says);
  });

  test('that are old are removed, without those that a receiver has not got or that follow a younger one', async () => {
    await using server = await busyServer();
    const { services } = server.running;
    const { db } = services.storage;
    const rows = await entriesAfter(db, 0, 1000);
    await db.insertInto('audit_cursor').values({ sink: 'webhook', id: rows[3]!.id }).execute();
    const never = new AbortController().signal;
    const remove = (before: number, receivers: string[]) =>
      removeOldAuditEntries(services, before, receivers, never);
    const [middle, last] = [rows[7]!.time, Math.max(...rows.map(({ time }) => time))];
    expect(await remove(last + 1, ['webhook', 'new'])).toBe(4);
    // Of concurrent writers, one may come first with a later time.
    const left = rows.slice(4);
    expect(await remove(middle, [])).toBe(left.findIndex(({ time }) => time >= middle));
    expect(await verdict(server)).toMatchObject({ problem: null });
  });

  if (isAlone) {
    test('audit:verify checks them, also across a change of the key', async () => {
      await using server = await busyServer();
      if (server.running.services.storage.isShared) return;
      const program = join(import.meta.dirname, '../../packages/server/src/main/audit-verify.ts');
      const env = { ...COMPILE_CACHE, PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: server.dataDir };
      const check = () => run(process.execPath, [program], { env });
      expect((await check()).stdout).toMatch(/^The audit log is whole: \d+ entries\.$/m);
      const other = { ...env, PRESSROOM_SECRETS_KEY: randomBytes(32).toString('base64') };
      await expect(run(process.execPath, [program], { env: other })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/entry 1 was changed.* another key: add that to Secrets.PreviousKeys/),
      });
      await change(server, (tx) => tx.deleteFrom('audit_log').where('seq', '=', 5).execute());
      await expect(check()).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/is not whole: entries[^]*as they were written\.$/m),
      });
    });

    test('audit:verify fails without the key, and creates none', async () => {
      await using server = await startTestServer({ own: true });
      if (server.running.services.storage.isShared) return;
      const key = join(server.dataDir, 'secret.key');
      await rm(key);
      const program = join(import.meta.dirname, '../../packages/server/src/main/audit-verify.ts');
      const env = { ...COMPILE_CACHE, PATH: process.env.PATH, PRESSROOM_SERVER_DATADIR: server.dataDir };
      const stderr = expect.stringContaining(`there is no ${key}`);
      await expect(run(process.execPath, [program], { env })).rejects.toMatchObject({ code: 2, stderr });
      expect(existsSync(key)).toBe(false);
    });
  }
});

describe('Export of the audit log', () => {
  test('returns all or the filtered entries as JSON lines', async () => {
    await using server = await busyServer();
    const admin = await server.administrator();
    const read = async (query: string) => {
      const { bytes, headers } = await admin.call('GET', `/v1/audit_logs/export${query}`);
      expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      return bytes
        .toString()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as SentEntry);
    };
    const all = await read('');
    expect(all.length).toBe((await verdict(server)).linked);
    const [, , , one] = all.filter(({ action }) => action === 'add_application');
    expect(await read(`?content_guid=${one!.content_guid}`)).toEqual([one]);
    expect((await read('?action=add_application')).length).toBe(12);
    for (const guid of [admin.guid, admin.guid.toUpperCase()])
      expect((await read(`?user_id=${guid}&action=add_application`)).length).toBe(12);
    expect(await read(`?content_guid=${one!.content_guid?.toUpperCase()}`)).toEqual([one]);
    expect(await read('?to=2000-01-01')).toEqual([]);
    expect((await read('?from=2000-01-01')).length).toBe(all.length);
  });

  if (isAlone) {
    test('CSV neutralizes spreadsheet formulas', async () => {
      await using server = await startTestServer({ settings: {} });
      const admin = await server.administrator();
      const { storage, audit } = server.running.services;
      const actor = { guid: admin.guid, username: 'x', full_name: '=HYPERLINK("http://x")' };
      await storage.write((tx) => audit(tx, actor, 'edit_user', '@SUM(1)'));
      await storage.write((tx) => audit(tx, actor, 'edit_user', 'say "hi", all'));
      await storage.write((tx) => audit(tx, actor, 'edit_user', 'a;=1+1\n-1;b-1;＝1'));
      const { bytes, headers } = await admin.call('GET', '/v1/audit_logs/export?format=csv');
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
      const csv = bytes.toString();
      expect(csv).toContain(',edit_user,"say ""hi"", all",');
      expect(csv).toContain(`,"'=HYPERLINK(""http://x"") (x)",edit_user,'@SUM(1),`);
      expect(csv).toContain(`,edit_user,"a;'=1+1\n'-1;b-1;'＝1",`);
    });

    test('is restricted to administrators and rejects unknown parameters', async () => {
      await using server = await startTestServer({ settings: {} });
      const admin = await server.administrator();
      const path = '/v1/audit_logs/export';
      expect(await server.anonymous('GET', path)).toMatchObject({ status: 401, body: { code: 24 } });
      const publisher = await server.person('publisher');
      expect(await publisher.call('GET', path)).toMatchObject({ status: 403, body: { code: 22 } });
      const refusals = (await admin.call('GET', '/v1/audit_events?action=refuse')).body.results;
      expect(refusals).toMatchObject([
        {
          user_guid: publisher.guid,
          description: 'Refused the export of the audit log (code 22), asked from 127.0.0.1',
        },
      ]);
      for (const query of ['format=xml', 'from=yesterday', `action=${'x'.repeat(300)}`])
        expect(await admin.call('GET', `${path}?${query}`)).toMatchObject({
          status: 400,
          body: { code: 25 },
        });
    });
  }
});

if (isAlone) {
  describe('Dashboard', () => {
    /** Signs in a person of the test server, and returns the session cookies. */
    async function cookiesOf(server: TestServer, username: string): Promise<string> {
      const body = { username, password: 'correct horse' };
      const { headers } = await server.anonymous('POST', '//__login__', { body });
      return headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; ');
    }

    test('records refused pages, but not what an administrator’s own pages leave out', async () => {
      await using server = await startTestServer({ settings: {} });
      const admin = await server.administrator();
      const publisher = await server.person('publisher');
      const body = { name: 'for-few', access_type: 'acl' };
      const { guid } = (await publisher.call('POST', '/v1/content', { body })).body;
      const open = async (username: string, path: string) => {
        const cookie = await cookiesOf(server, username);
        return (await fetch(`${server.url}/__dashboard__${path}`, { headers: { cookie } })).status;
      };
      expect(await open(admin.username, `/content/${guid}`)).toBe(200);
      expect(await open(admin.username, `/content/${guid}/bundles`)).toBe(200);
      expect(await open(publisher.username, '/audit')).toBe(403);
      const { results } = (await admin.call('GET', '/v1/audit_events?action=refuse')).body as {
        results: { user_guid: string; description: string }[];
      };
      expect(results.map(({ user_guid, description }) => [user_guid, description])).toEqual([
        [publisher.guid, 'Refused a page for administrators (code 22), asked from 127.0.0.1'],
      ]);
      expect(await open(publisher.username, `/content/${guid.toUpperCase()}/usage`)).toBe(200);
    });

    test('links the export for administrators only, and lists content keys with their owner’s', async () => {
      await using server = await startTestServer({ settings: {} });
      const admin = await server.administrator();
      const publisher = await server.person('publisher');
      const { guid } = (await admin.call('POST', '/v1/content', { body: { name: 'with-a-key' } })).body;
      const { storage, secrets, clock } = server.running.services;
      const content = (await findContent(storage.db, guid))!;
      await createContentKeys(storage, secrets, clock).keyFor(content);
      const get = (path: string, cookie: string) =>
        fetch(`${server.url}/__dashboard__${path}`, {
          headers: { cookie, 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' },
          redirect: 'manual',
        });
      const cookie = await cookiesOf(server, admin.username);
      expect(await (await get('/audit', cookie)).text()).toContain('/audit/export?format=csv');
      const csv = await get('/audit/export?format=csv', cookie);
      expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(await csv.text()).toContain('Created content with-a-key');
      expect(await (await get('/keys', cookie)).text()).toMatch(/Content keys[^]*with-a-key/);
      const other = await cookiesOf(server, publisher.username);
      expect((await get('/audit/export', other)).status).toBe(403);
      expect(await (await get('/keys', other)).text()).not.toContain('with-a-key');
      expect((await get('/audit/export', '')).status).toBe(303);
    });
  });
}

describe('Receivers of audit entries', () => {
  /** Adds an entry and returns its description. */
  async function act(server: TestServer, name: string): Promise<string> {
    const admin = await server.administrator();
    await admin.call('POST', '/v1/content', { body: { name } });
    return name;
  }

  test('get every entry at least once and in order, even after failures', async () => {
    await using server = await busyServer();
    const { storage } = server.running.services;
    const got: string[] = [];
    let fails = 0;
    let time = 0;
    const sink: Sink = {
      name: 'test',
      label: 'test',
      send: async (entries) => {
        if (fails-- > 0) throw new Error('not now');
        got.push(...entries.map(({ event_description }) => event_description));
      },
    };
    const parts = { storage, log: silent, now: () => time };
    {
      await using sinks = startAuditSinks(parts, [sink]);
      await sinks.flush();
      expect(got).toEqual([]);
      await act(server, 'first');
      await sinks.flush();
      fails = 2;
      await act(server, 'second');
      await sinks.flush();
      // It waits for 1 s after the first failure, 2 s after the second.
      await act(server, 'third');
      await sinks.flush();
      expect(got.length).toBe(1);
      time += 1001;
      await sinks.flush();
      time += 1001;
      await sinks.flush();
      expect(got.length).toBe(1);
      time += 1001;
      await sinks.flush();
      expect(got.map((line) => /Created content (\w+)/.exec(line)?.[1])).toEqual([
        'first',
        'second',
        'third',
      ]);
    }
    await act(server, 'fourth');
    await using again = startAuditSinks(parts, [sink]);
    await again.flush();
    expect(got.at(-1)).toContain('fourth');
    expect(got.length).toBe(4);
  });

  test('get from another server what the one that delivers has left for 15 seconds', async () => {
    await using server = await startTestServer({ settings: {} });
    const { storage } = server.running.services;
    const got: string[] = [];
    let time = 0;
    let isFirst = false;
    const parts = { storage, log: silent, now: () => time, isFirst: async () => isFirst };
    const sink: Sink = {
      name: 'test',
      label: 'test',
      send: async (entries) => void got.push(...entries.map(({ event_description }) => event_description)),
    };
    await server.administrator();
    await using sinks = startAuditSinks(parts, [sink]);
    await sinks.flush();
    await act(server, 'first');
    await sinks.flush();
    time += 14_999;
    await sinks.flush();
    expect(got).toEqual([]);
    time += 1;
    await sinks.flush();
    expect(got).toEqual([expect.stringContaining('Created content first')]);
    await act(server, 'second');
    await sinks.flush();
    expect(got).toHaveLength(1);
    isFirst = true;
    await sinks.flush();
    expect(got).toHaveLength(2);
  });

  test('do not delay shutdown with a backlog, which waits for the next start', async () => {
    await using server = await startTestServer({ settings: {} });
    const { storage } = server.running.services;
    let sent = 0;
    const endless = {
      what: 'entries',
      newest: async () => 0,
      after: async (_db: unknown, id: number) => [{ id: id + 1, entry: id }],
    };
    const send = async () => {
      sent += 1;
      await delay(20);
    };
    const sinks = startSinks({ storage, log: silent }, endless, [
      { name: 'endless', label: 'endless', send },
    ]);
    await expect.poll(() => sent).toBeGreaterThan(1);
    await sinks[Symbol.asyncDispose]();
    const before = sent;
    await sinks.flush();
    expect(sent).toBe(before);
  });

  if (isAlone) {
    test('split what is too large for one request, so that all of it arrives', async () => {
      await using server = await startTestServer({ settings: {} });
      const { storage } = server.running.services;
      // One alone is larger than a batch.
      const sizes = [...Array<number>(99).fill(20_000), 700_000];
      const feed = {
        what: 'entries',
        newest: async () => 0,
        after: async (_db: unknown, id: number) =>
          sizes.map((size, at) => ({ id: at + 1, entry: 'x'.repeat(size) })).slice(id),
      };
      const got: (readonly string[])[] = [];
      const send = async (entries: readonly string[]) => void got.push(entries);
      await using sinks = startSinks({ storage, log: silent }, feed, [
        { name: 'large', label: 'large', send },
      ]);
      await sinks.flush();
      expect(got.flat().map(({ length }) => length)).toEqual(sizes);
      const several = got.filter(({ length }) => length > 1).map((entries) => JSON.stringify(entries).length);
      expect(Math.max(...several)).toBeLessThan(600_000);
      expect(got.at(-1)).toHaveLength(1);
    });

    test('verify webhooks by their signature', async () => {
      await using server = await startTestServer({ settings: {} });
      const bodies: { body: string; signature: string }[] = [];
      let status = 500;
      const receiver = createServer((request, response) => {
        void text(request).then((body) => {
          if (status === 200)
            bodies.push({ body, signature: String(request.headers['x-pressroom-signature']) });
          response.writeHead(status).end();
        });
      }).listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      const { port } = receiver.address() as AddressInfo;
      const send = createWebhookSender(`http://127.0.0.1:${port}/audit`, 'secret');
      await server.administrator();
      const rows = await entriesAfter(server.running.services.storage.db, 0, 10);
      const entries = rows.map(sentEntry);
      await expect(send(entries)).rejects.toThrow('it returns 500');
      status = 200;
      await send(entries);
      receiver.close();
      const [{ body, signature }] = bodies as [{ body: string; signature: string }];
      const time = Number(/^t=(\d+),/.exec(signature)![1]);
      expect(signature).toBe(signatureOf(body, 'secret', time));
      expect(signature).not.toBe(signatureOf(`${body} `, 'secret', time));
      expect((JSON.parse(body) as { entries: unknown[] }).entries.length).toBe(rows.length);
    });

    test('get RFC 5424 messages over syslog that no name or text can break', async () => {
      const entry: SentEntry = {
        id: '7',
        time: '2026-11-21T10:00:00.000Z',
        user_id: 'guid',
        user_description: 'A "quoted] name\\ (a)',
        action: 'add_user',
        event_description: 'Created\n<14>1 - forged',
        content_guid: null,
        bundle_id: null,
        task_id: null,
        slack_user: null,
        seq: 3,
        mac: 'id.mac',
      };
      const wanted =
        /^<109>1 2026-11-21T10:00:00\.000Z \S+ pressroom \d+ add_user \[audit@32473 id="7" user_id="guid" user="A \\"quoted\\\] name\\\\ \(a\)" seq="3" mac="id\.mac"\] \uFEFFCreated <14>1 - forged$/;
      const udp = createSocket('udp4');
      udp.bind(0, '127.0.0.1');
      await once(udp, 'listening');
      const datagram = once(udp, 'message') as Promise<[Buffer]>;
      await createSyslogSender(`udp://127.0.0.1:${udp.address().port}`)([entry]);
      expect((await datagram)[0].toString()).toMatch(wanted);
      udp.close();

      const received: Promise<string>[] = [];
      const tcp = createTcpServer((socket) => void received.push(text(socket))).listen(0, '127.0.0.1');
      await once(tcp, 'listening');
      const { port } = tcp.address() as AddressInfo;
      const send = createSyslogSender(`tcp://127.0.0.1:${port}`);
      await send([entry, entry]);
      const [, length, rest] = /^(\d+) (.*)$/s.exec(await received[0]!)!;
      const first = Buffer.from(rest!).subarray(0, Number(length)).toString();
      expect(first).toMatch(wanted);
      expect(Buffer.from(rest!).subarray(Number(length)).toString()).toBe(`${length} ${first}`);
      tcp.close();
      await once(tcp, 'close');
      await expect(send([entry])).rejects.toThrow(/ECONNREFUSED/);
    });
  }
});
