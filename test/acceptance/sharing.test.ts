// Covers sharing with an expiry, and change of ownership.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';
import { endPermissions } from '../../packages/server/src/content/permissions/end-permissions.ts';

let server: TestServer;
let owner: Person;
let guest: Person;
let home: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
  guest = await server.person('viewer');
  home = await mkdtemp(join(tmpdir(), 'pressroom-sharing-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

const LATER = '2096-12-31T23:59:59.000Z';
const published = async () =>
  (await publish(owner, { 'index.html': '<p>shared' }, { fields: { access_type: 'acl' } })).guid;
const toGuest = () => ({ principal_guid: guest.guid, principal_type: 'user', role: 'viewer' });

/** As if the permissions had expired. */
async function end(guid: string): Promise<void> {
  const { storage } = server.running.services;
  await storage.write((tx) =>
    tx.updateTable('permission').set({ expires_time: 1 }).where('content_guid', '=', guid).execute(),
  );
}

function pressroom(...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: home, CONNECT_SERVER: server.url, CONNECT_API_KEY: owner.key };
  return runHere(args, { env, cwd: home });
}

describe('Permissions with an expiry', () => {
  test('the permission is listed with its expiry, and grants nothing afterwards', async () => {
    const guid = await published();
    const path = `/v1/content/${guid}/permissions`;
    const made = await owner.call('POST', path, { body: { ...toGuest(), expires_time: LATER } });
    expect(made.body).toMatchObject({ role: 'viewer', expires_time: LATER });
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(200);
    const listed = async () =>
      (await guest.call('GET', '/v1/content')).body.some((one: { guid: string }) => one.guid === guid);
    expect(await listed()).toBe(true);
    await end(guid);
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(403);
    expect(await guest.call('GET', `/v1/content/${guid}`)).toMatchObject(refused(403, 19));
    expect(await listed()).toBe(false);
    expect(
      (await guest.call('GET', `/v1/search/content?q=`)).body.results.map(
        ({ guid: one }: { guid: string }) => one,
      ),
    ).not.toContain(guid);
    expect((await owner.call('GET', path)).body).toEqual([]);
    expect((await owner.call('GET', `/applications/${guid}/users`)).body).toEqual([]);
    // Access can be granted again.
    expect((await owner.call('POST', path, { body: toGuest() })).status).toBe(200);
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(200);
  });

  test('an expired group permission no longer applies to its members', async () => {
    const guid = await published();
    const group = (await owner.call('POST', '/v1/groups', { body: { name: 'guests' } })).body;
    await owner.call('POST', `/v1/groups/${group.guid}/members`, { body: { user_guid: guest.guid } });
    const body = {
      principal_guid: group.guid,
      principal_type: 'group',
      role: 'viewer',
      expires_time: LATER,
    };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body });
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(200);
    await end(guid);
    expect((await guest.call('GET', `//content/${guid}/`)).status).toBe(403);
    expect((await guest.call('GET', `/v1/experimental/groups/${group.guid}/content`)).body).toEqual([]);
  });

  test('an expired permission is removed with an audit entry', async () => {
    const guid = await published();
    const body = { ...toGuest(), expires_time: LATER };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body });
    expect(await endPermissions(server.running.services)).not.toContain(guid);
    await end(guid);
    expect(await endPermissions(server.running.services)).toContain(guid);
    const { results } = (await (await server.administrator()).call('GET', '/v1/audit_logs?ascOrder=false'))
      .body;
    const entry = results.find((one: { action: string }) => one.action === 'remove_user_app_role');
    expect(entry).toMatchObject({ user_id: '0', event_description: expect.stringContaining(guid) });
  });

  test('the expiry must be in the future, and can be changed and cleared', async () => {
    const guid = await published();
    const path = `/v1/content/${guid}/permissions`;
    const past = { ...toGuest(), expires_time: '2001-01-01T00:00:00Z' };
    expect(await owner.call('POST', path, { body: past })).toMatchObject(refused(400, 25));
    expect(await owner.call('POST', path, { body: { ...past, expires_time: 'soon' } })).toMatchObject(
      refused(400, 136),
    );
    const late = { ...past, expires_time: '2256-01-01T00:00:00Z' };
    expect(await owner.call('POST', path, { body: late })).toMatchObject(refused(400, 136));
    const { id } = (await owner.call('POST', path, { body: toGuest() })).body;
    const put = async (change: object) =>
      (await owner.call('PUT', `${path}/${id}`, { body: { role: 'viewer', ...change } })).body.expires_time;
    expect(await put({ expires_time: LATER })).toBe(LATER);
    expect(await put({})).toBe(LATER);
    expect(await put({ expires_time: null })).toBeUndefined();
  });

  test('`pressroom share --until` grants, lists, changes and revokes it', async () => {
    const guid = await published();
    const { username } = guest;
    const given = await pressroom('share', username, '--until', '2096-12-31T00:00:00Z', '--content', guid);
    expect(given.stdout).toMatch(/can view +until 2096-12-31T00:00:00.000Z/);
    const kept = await pressroom('share', username, '--edit', '--content', guid);
    expect(kept).toMatchObject({ code: 3 });
    const forever = await pressroom('share', username, '--until', 'never', '--content', guid);
    expect(forever).toMatchObject({ code: 0, stdout: expect.not.stringContaining('until') });
    const week = await pressroom('share', username, '--until', '1w', '--json', '--content', guid);
    const [permission] = JSON.parse(week.stdout).permissions;
    expect((Date.parse(permission.expires_time) - Date.now()) / 86_400_000).toBeCloseTo(7, 1);
    for (const wrong of ['soon', '2001-01-01', '0d'])
      expect(await pressroom('share', username, '--until', wrong, '--content', guid)).toMatchObject({
        code: 2,
      });
    expect(await pressroom('share', '--until', '7d', '--content', guid)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--until requires a user or group'),
    });
  });
});

describe('Transfer of ownership', () => {
  const give = (by: Person, guid: string, body: object) =>
    by.call('PUT', `/v1/content/${guid}/owner`, { body });

  test.each([
    ['owner', 'editor'],
    ['viewer', 'viewer'],
    [null, null],
  ])('the previous owner keeps %s', async (keep, role) => {
    const next = await server.person('publisher');
    const guid = await published();
    const collaborator = { ...toGuest(), principal_guid: next.guid, role: 'owner' };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body: collaborator });
    expect((await give(owner, guid, { owner_guid: next.guid, keep })).status).toBe(204);
    expect((await next.call('GET', `/v1/content/${guid}`)).body).toMatchObject({
      owner_guid: next.guid,
      app_role: 'owner',
    });
    const seen = await owner.call('GET', `/v1/content/${guid}`);
    expect(seen.body.app_role ?? null).toBe(role);
    expect(seen.status).toBe(role === null ? 403 : 200);
    const { results } = (await (await server.administrator()).call('GET', '/v1/audit_logs?ascOrder=false'))
      .body;
    const described = results.map((one: { event_description: string }) => one.event_description);
    expect(described).toContainEqual(expect.stringContaining(`Made ${next.username}`));
  });

  test('requires an unlocked publisher, chosen by the owner or an administrator', async () => {
    const [admin, next, locked] = [
      await server.administrator(),
      await server.person('publisher'),
      await server.person('publisher'),
    ];
    await admin.call('POST', `/v1/users/${locked.guid}/lock`, { body: { locked: true } });
    const guid = await published();
    const body = { ...toGuest(), principal_guid: next.guid, role: 'owner' };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body });
    expect(await give(next, guid, { owner_guid: next.guid })).toMatchObject(refused(403, 21));
    expect(await give(owner, guid, { owner_guid: guest.guid })).toMatchObject(refused(400, 66));
    expect(await give(owner, guid, { owner_guid: locked.guid })).toMatchObject(refused(400, 66));
    expect(await give(owner, guid, { owner_guid: owner.guid })).toMatchObject(refused(400, 66));
    expect((await owner.call('GET', `/v1/content/${guid}`)).body.owner_guid).toBe(owner.guid);
    expect((await give(admin, guid, { owner_guid: next.guid })).status).toBe(204);
    expect(await owner.call('GET', `/v1/content/${guid}`)).toMatchObject(refused(403, 19));
  });

  test('is refused with error 26 if the new owner has content of that name', async () => {
    const next = await server.person('publisher');
    const guid = await published();
    const { name } = (await owner.call('GET', `/v1/content/${guid}`)).body;
    await next.call('POST', '/v1/content', { body: { name } });
    expect(await give(owner, guid, { owner_guid: next.guid })).toMatchObject({
      status: 409,
      body: { code: 26, error: 'the new owner has content of this name already: rename one of them' },
    });
    expect((await owner.call('GET', `/v1/content/${guid}`)).body.owner_guid).toBe(owner.guid);
  });

  test('`pressroom transfer` sets the new owner', async () => {
    const next = await server.person('publisher');
    const guid = await published();
    const done = await pressroom('transfer', next.username, '--keep', 'view', '--content', guid);
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${next.username} owns it now. The previous owner can still view it.`),
    });
    expect(await pressroom('transfer', next.username, '--content', guid)).toMatchObject({ code: 3 });
  });
});
