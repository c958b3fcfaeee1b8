// Covers what PATCH of the GA form changes beyond the contract's fields (owner and lock), and what `include` adds.
import { publish, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: TestServer;
let admin: Person;
let owner: Person;
let other: Person;
let viewer: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.administrator();
  owner = await server.person('publisher', { first_name: 'Olga', last_name: 'Own' });
  other = await server.person('publisher');
  viewer = await server.person('viewer');
});
afterAll(() => server[Symbol.asyncDispose]());

const patch = (person: Person, guid: string, body: object) =>
  person.call('PATCH', `/v1/content/${guid}`, { body });
const lastAudit = async () =>
  (await admin.call('GET', '/v1/audit_logs?limit=1&ascOrder=false')).body.results[0];

describe('Owner of content', () => {
  test('an administrator transfers content, and the previous owner loses all rights', async () => {
    const { guid, path } = await publish(owner, { 'index.html': 'x' }, { fields: { access_type: 'acl' } });
    const grant = { principal_guid: other.guid, principal_type: 'user', role: 'owner' };
    await owner.call('POST', `/v1/content/${guid}/permissions`, { body: grant });
    const changed = await patch(admin, guid, { owner_guid: other.guid.toUpperCase(), title: 'Given away' });
    expect(changed).toMatchObject({
      status: 200,
      body: { owner_guid: other.guid, title: 'Given away', app_role: 'none' },
    });
    expect(await lastAudit()).toMatchObject({
      action: 'edit_application',
      event_description: expect.stringContaining(`its owner is ${other.username} (${other.guid})`),
    });
    expect((await other.call('GET', `/v1/content/${guid}`)).body.app_role).toBe('owner');
    // The new owner has no separate permission, which would remain after the next transfer.
    expect((await other.call('GET', `/v1/content/${guid}/permissions`)).body).toEqual([]);
    expect(await owner.call('GET', `/v1/content/${guid}`)).toMatchObject(refused(403, 19));
    expect((await owner.call('GET', path)).status).toBe(403);
    expect((await other.call('GET', path)).status).toBe(200);
  });

  test('rejects a transfer by others, or to viewers, locked or unknown accounts', async () => {
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'stays-mine' } })).body;
    expect(await patch(owner, guid, { owner_guid: other.guid })).toMatchObject(refused(400, 66));
    expect(await patch(admin, guid, { owner_guid: viewer.guid })).toMatchObject(refused(400, 66));
    const gone = await server.person('publisher');
    await admin.call('POST', `/v1/users/${gone.guid}/lock`, { body: { locked: true } });
    expect(await patch(admin, guid, { owner_guid: gone.guid })).toMatchObject(refused(400, 66));
    const nobody = '11111111-1111-4111-8111-111111111111';
    expect(await patch(admin, guid, { owner_guid: nobody })).toMatchObject(refused(404, 9));
    expect(await patch(admin, guid, { owner_guid: 'me' })).toMatchObject(refused(400, 3));
    expect((await owner.call('GET', `/v1/content/${guid}`)).body.owner_guid).toBe(owner.guid);
  });

  test('rejects a transfer to someone who has content with the same name', async () => {
    const make = (person: Person) => person.call('POST', '/v1/content', { body: { name: 'both-have-it' } });
    const { guid } = (await make(owner)).body;
    await make(other);
    expect(await patch(admin, guid, { owner_guid: other.guid })).toMatchObject(refused(409, 26));
  });

  test('the owner is read-only in the experimental form, and responses can be sent back', async () => {
    const made = (await owner.call('POST', '/v1/content', { body: { name: 'sent-back' } })).body;
    expect(await patch(owner, made.guid, made)).toMatchObject({ status: 200, body: made });
    const path = `/v1/experimental/content/${made.guid}`;
    const response = await admin.call('POST', path, { body: { owner_guid: other.guid, locked: true } });
    expect(response).toMatchObject({ status: 200, body: { owner_guid: owner.guid } });
    expect((await admin.call('GET', `/v1/content/${made.guid}`)).body.locked).toBe(false);
  });
});

describe('Locked content', () => {
  test('only collaborators open it; others get the lock message', async () => {
    const { guid, path } = await publish(owner, { 'index.html': 'shown' });
    const open = async (person: { call: Person['call'] }) => (await person.call('GET', path)).status;
    const anybody = { call: server.anonymous };
    expect(await Promise.all([owner, viewer, anybody].map(open))).toEqual([200, 200, 200]);
    const locked = await patch(admin, guid, { locked: true, locked_message: 'Back on Monday' });
    expect(locked).toMatchObject({ status: 200, body: { locked: true, locked_message: 'Back on Monday' } });
    expect((await lastAudit()).event_description).toContain('Changed locked, locked_message of content');
    expect(await Promise.all([owner, viewer, anybody, admin].map(open))).toEqual([200, 403, 403, 403]);
    expect((await viewer.call('GET', path)).body.error).toContain('Back on Monday');
    expect((await patch(admin, guid, { locked: false })).body).toMatchObject({ locked: false });
    expect(await Promise.all([owner, viewer, anybody].map(open))).toEqual([200, 200, 200]);
  });

  test('only administrators lock and unlock content', async () => {
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'no-lock' } })).body;
    expect(await patch(owner, guid, { locked: true })).toMatchObject(refused(403, 22));
    expect(await patch(owner, guid, { locked_message: 'x' })).toMatchObject(refused(403, 22));
    expect(await patch(owner, guid, { locked: false, locked_message: '' })).toMatchObject({ status: 200 });
    expect(await patch(admin, guid, { locked: 'yes' })).toMatchObject(refused(400, 121));
  });
});

test('include adds the owner, tags and vanity URL, and ignores unknown words', async () => {
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'including' } })).body;
  const people = { guid: owner.guid, username: owner.username, first_name: 'Olga', last_name: 'Own' };
  const get = async (include: string) =>
    (await owner.call('GET', `/v1/content/${guid}?include=${include}`)).body;
  expect(await get('owner,tags,vanity_url')).toMatchObject({ owner: people, tags: [], vanity_url: null });
  await owner.call('PUT', `/v1/content/${guid}/vanity`, { body: { path: '/included/' } });
  expect((await get('vanity_url')).vanity_url).toBe(`${server.url}/included/`);
  const plain = await get('nonsense');
  for (const name of ['owner', 'tags', 'vanity_url']) expect(plain).not.toHaveProperty(name);
  const query = 'name=including&include=owner%2C%20tags';
  const list = (await owner.call('GET', `/v1/content?${query}`)).body;
  expect(list).toEqual([{ ...plain, owner: people, tags: [] }]);
});
