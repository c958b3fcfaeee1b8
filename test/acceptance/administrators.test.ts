// Covers what administrators do in the dashboard: bulk changes of users, processes, tasks, use of content, backups.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@pressroom/server';
import { createBrowser, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertPermission } from '../../packages/server/src/content/store.ts';
import { insertMember } from '../../packages/server/src/groups/store.ts';
import { restoreBackup } from '../../packages/server/src/main/backup/restore-backup.ts';
import { findUser, insertUser } from '../../packages/server/src/people/store.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';

let server: TestServer;
let admin: Person;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ engine: 'sqlite', settings: { 'Scheduler.IdleTimeout': 600 } });
  admin = await server.administrator();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

/** Signs in with a browser, and sends forms as a page would. */
async function enter({ username }: Person) {
  const browser = createBrowser();
  const root = `${server.url}/__dashboard__`;
  await browser.submit(`${server.url}/__login__`, { username, password: 'correct horse' });
  const xsrf = () => browser.cookie(`${root}/`, 'RSC-XSRF') ?? '';
  return {
    browser,
    page: (path: string) => browser.get(root + path),
    async send(path: string, fields: Record<string, string>, guids: readonly string[] = []) {
      const body = new URLSearchParams({ ...fields, xsrf: xsrf() });
      for (const guid of guids) body.append('guid', guid);
      const response = await browser.request(root + path, { method: 'POST', body });
      return response.status === 303 ? browser.follow(response) : response;
    },
  };
}

/** More people, like one there is. Returns their GUIDs. */
async function crowd(count: number, { guid: like }: Person): Promise<string[]> {
  const { storage } = server.running.services;
  const row = await findUser(storage.db, like);
  const { username_key: _1, first_name_key: _2, last_name_key: _3, ...same } = row!;
  const guids = Array.from({ length: count }, () => randomUUID());
  await storage.write(async (tx) => {
    for (const guid of guids)
      await insertUser(tx, {
        ...same,
        guid,
        username: guid,
        email: `${guid}@example.com`,
        first_name: 'A',
      });
  });
  return guids;
}

describe('User administration', () => {
  test('locks, unlocks and changes roles in bulk, and names accounts it cannot change', async () => {
    const [a, b] = [await server.person('viewer'), await server.person('publisher')];
    const { send, page } = await enter(admin);
    const read = async ({ guid }: Person) => (await admin.call('GET', `/v1/users/${guid}`)).body;
    expect((await page('/users')).text).toContain(`>Select ${a.username}</span>`);
    const locked = await send('/users/bulk', { change: 'lock' }, [a.guid, b.guid]);
    expect(locked.text).toContain('2 accounts changed.');
    expect([(await read(a)).locked, (await read(b)).locked]).toEqual([true, true]);
    await send('/users/bulk', { change: 'unlock' }, [a.guid, b.guid]);
    expect((await read(b)).locked).toBe(false);
    const nobody = '00000000-0000-4000-8000-000000000000';
    const made = await send('/users/bulk', { change: 'publisher' }, [a.guid, nobody]);
    expect(made.text).toContain(`1 account changed. ${nobody}: `);
    expect((await read(a)).user_role).toBe('publisher');
    expect((await send('/users/bulk', { change: 'lock' })).text).toContain('Select at least one person.');
    const other = await enter(owner);
    const refused = await other.send('/users/bulk', { change: 'lock' }, [a.guid]);
    expect(refused.text).not.toContain('1 account changed');
    expect((await read(a)).locked).toBe(false);
  });

  test('the members of a large group are on pages, and one that is removed leads back to its page', async () => {
    const { guid } = (await admin.call('POST', '/v1/groups', { body: { name: 'crowd' } })).body;
    const people = await crowd(102, owner);
    const { storage } = server.running.services;
    await storage.write(async (tx) => {
      for (const user_guid of people) await insertMember(tx, guid, user_guid);
    });
    const { page, send } = await enter(admin);
    const button = (username: string) => `Remove<span class="hidden"> ${username}</span>`;
    const shown = async (path: string) => {
      const { text } = await page(path);
      return people.filter((one) => text.includes(button(one)));
    };
    const [first, second] = [await shown(`/groups/${guid}`), await shown(`/groups/${guid}?page=2`)];
    expect([first.length, second.length]).toEqual([100, 2]);
    expect(new Set([...first, ...second]).size).toBe(102);
    const removed = await send(`/groups/${guid}/remove`, { user_guid: second[0]!, page: '2' });
    expect(removed.text).toContain('Member removed.');
    expect(removed.text).toContain(button(second[1]!));
    expect(removed.text).not.toContain(button(first[0]!));
    expect(removed.text).toContain('101');
  });

  test('those who have access to content are on pages, and one that is removed leads back to its page', async () => {
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'for-many' } })).body;
    const { storage } = server.running.services;
    for (const principal_guid of await crowd(101, owner))
      await storage.write((tx) =>
        insertPermission(tx, {
          content_guid: guid,
          principal_guid,
          principal_type: 'user',
          role: 'viewer',
          expires_time: null,
        }),
      );
    const { page, send } = await enter(owner);
    const ids = (text: string) => [...text.matchAll(/name="id" value="(\d+)"/g)].map(([, id]) => id!);
    const path = `/content/${guid}/access`;
    const [first, second] = [ids((await page(path)).text), ids((await page(`${path}?page=2`)).text)];
    expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([100, 1, 101]);
    const removed = await send(`${path}/remove`, { id: second[0]!, page: '2' });
    expect(removed.text).toContain('Access removed.');
    // Its page is gone with it.
    expect(ids(removed.text)).toEqual(first);
  });

  test('content is handed over by an address that is beyond the first page of people', async () => {
    const heir = await server.person('publisher', { email: 'heir@example.com', first_name: 'Zoe' });
    await crowd(500, heir);
    const { guid } = await publish(owner, { 'index.html': '<p>' });
    const { send } = await enter(admin);
    const shown_owner = JSON.stringify({ owner_guid: owner.guid });
    const fields = { shown_owner, new_owner: 'Heir@example.com', keep: '' };
    const given = await send(`/content/${guid}/access/owner`, fields);
    expect(given.text).toContain(`${heir.username} owns `);
  });
});

describe('Process administration', () => {
  test('ends one process, drains others, and starts none while the server is closed', async () => {
    const body = { '/': 'answer = {"pid": os.getpid()}' };
    const { guid, path } = await publish(owner, asgi(body), { metadata: ASGI });
    const jobs = async () => {
      const all = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body as {
        key: string;
        status: number;
      }[];
      return all.filter(({ status }) => status === 0).map(({ key }) => key);
    };
    expect((await owner.call('GET', path)).status).toBe(200);
    const [first = ''] = await jobs();
    const stranger = await server.person('publisher');
    const kill = (person: Person, key: string) => person.call('DELETE', `/v1/content/${guid}/jobs/${key}`);
    expect(await kill(stranger, first)).toMatchObject({ status: 403, body: { code: 22 } });
    expect((await kill(owner, first)).status).toBe(200);
    expect(await jobs()).not.toContain(first);
    expect(await kill(owner, first)).toMatchObject({ body: { code: 39 } });

    expect((await owner.call('GET', path)).status).toBe(200);
    const [second = ''] = await jobs();
    const { send, page } = await enter(admin);
    expect((await page('/server')).text).toContain('Drain');
    const drained = await send('/server/drain', { guid });
    expect(drained.text).toContain('take no new visitors');
    await expect.poll(jobs).not.toContain(second);
    expect((await owner.call('GET', path)).status).toBe(200);
    const [third = ''] = await jobs();
    expect(third).not.toBe(second);

    expect((await send('/server/close', { closed: '1' })).text).toContain('No more processes start.');
    expect((await server.anonymous('GET', '//__health__/ready')).status).toBe(503);
    expect((await owner.call('GET', path)).status).toBe(200);
    const ended = await send('/server/kill', { guid, key: third });
    expect(ended.text).toContain('Process ended.');
    expect((await owner.call('GET', path)).status).toBe(503);
    await send('/server/close', { closed: '0' });
    expect((await server.anonymous('GET', '//__health__/ready')).status).toBe(200);
    const actions = (await admin.call('GET', '/v1/audit_logs?ascOrder=false')).body.results.map(
      (entry: { action: string }) => entry.action,
    );
    expect(actions).toEqual(expect.arrayContaining(['close_server', 'open_server']));
    const other = await enter(owner);
    for (const [where, fields] of [
      ['/server/close', { closed: '1' }],
      ['/server/drain', { guid }],
      ['/server/kill', { guid, key: third }],
    ] as const)
      expect((await other.send(where, fields)).status, where).toBe(403);
    expect(server.running.services.applications.isClosed).toBe(false);
  });
});

describe('Administration lists', () => {
  test('tasks, content use and the server check are restricted to administrators', async () => {
    const { guid } = await publish(owner, { 'index.html': 'x' }, { fields: { name: 'unread' } });
    const { page } = await enter(admin);
    expect((await page('/tasks')).text).toContain(`>${owner.username}<`);
    expect((await page('/tasks?failed=on')).text).toContain('No task failed.');
    expect((await page('/content-use?days=0')).text).toContain(guid);
    expect((await page('/content-use?days=30')).text).not.toContain(guid);
    expect((await page(`/content-use?days=0&owner=${admin.username}`)).text).not.toContain(guid);
    expect((await page('/server-check')).text).toMatch(/problems 0, [^]*>Data directory<[^]*>Python</);
    const other = await enter(owner);
    for (const path of ['/tasks', '/content-use', '/backup', '/server-check', '/users'])
      expect((await other.page(path)).status).toBe(403);
  });
});

describe('Backup download', () => {
  const backups = async () => (await readdir(server.dataDir)).filter((name) => name.startsWith('backup-'));

  test('requires a recent sign-in, produces a restorable file and leaves no file behind', async () => {
    const { browser, page, send } = await enter(admin);
    const { text } = await page('/backup');
    expect(text).toContain('Back up and download');
    expect(text).not.toContain('not in it');
    const xsrf = browser.cookie(`${server.url}/__dashboard__/`, 'RSC-XSRF') ?? '';
    const cookie = ['pressroom-session', 'RSC-XSRF']
      .map((name) => `${name}=${browser.cookie(`${server.url}/__dashboard__/`, name)}`)
      .join('; ');
    const response = await fetch(`${server.url}/__dashboard__/backup/download`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ xsrf }),
    });
    expect([response.status, response.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="pressroom-\d{4}-\d\d-\d\d\.tar"$/),
    ]);
    const home = await mkdtemp(join(tmpdir(), 'pressroom-restored-'));
    try {
      const file = join(home, 'pressroom.tar');
      await writeFile(file, Buffer.from(await response.arrayBuffer()));
      const dataDir = join(home, 'data');
      await restoreBackup(loadConfig({}, { 'Server.DataDir': dataDir }), file);
      expect(await readdir(dataDir)).toContain('pressroom.sqlite');
    } finally {
      await rm(home, { recursive: true });
    }
    await expect.poll(backups).toEqual([]);
    const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false')).body;
    expect(results.map((entry: { action: string }) => entry.action)).toContain('download_backup');
    // As if ten minutes had passed.
    const { storage, clock } = server.running.services;
    await storage.write((tx) =>
      tx
        .updateTable('session')
        .set({ created_time: clock.now() - 11 * 60_000_000 })
        .execute(),
    );
    expect((await page('/backup')).text).toContain('Sign in again');
    expect((await send('/backup/download', {})).status).toBe(403);
    expect(await backups()).toEqual([]);
  });

  test('signing in again leads back to it where the server is below a path', async () => {
    const address = 'http://example.com/pressroom';
    await using below = await startTestServer({ settings: { 'Server.Address': address } });
    await below.administrator();
    const browser = createBrowser();
    const fields = { username: 'admin', password: 'correct horse' };
    await browser.submit(`${below.url}/__login__`, fields);
    const { storage } = below.running.services;
    await storage.write((tx) => tx.updateTable('session').set({ created_time: 0 }).execute());
    const { text } = await browser.get(`${below.url}/__dashboard__/backup`);
    const [, link = ''] = /<a href="([^"]+)">Sign in again/.exec(text) ?? [];
    const { origin, pathname, searchParams } = new URL(link);
    expect(origin + pathname).toBe(`${address}/__login__`);
    const next = searchParams.get('next') ?? '';
    const entered = await browser.submit(`${below.url}/__login__`, { ...fields, next });
    expect(entered.headers.get('location')).toBe('/pressroom/__dashboard__/backup');
  });

  test('is restricted to administrators', async () => {
    const { send } = await enter(owner);
    expect((await send('/backup/download', {})).status).toBe(403);
  });
});
