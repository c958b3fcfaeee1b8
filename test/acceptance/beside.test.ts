// Covers groups, keys, sessions, permissions, vanity paths and variables.
import { makeArchive, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from './raw-request.ts';

const ABSENT = '00000000-0000-4000-8000-000000000000';

let server: TestServer;
let admin: Person;
let owner: Person;
let viewer: Person;
beforeAll(async () => {
  server = await startTestServer({ own: true });
  admin = await server.administrator();
  [owner, viewer] = [await server.person('publisher'), await server.person('viewer')];
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;
async function newContent(): Promise<string> {
  count += 1;
  return (await owner.call('POST', '/v1/content', { body: { name: `beside-${count}` } })).body.guid;
}

describe('Groups', () => {
  const create = (name: unknown, who = owner) => who.call('POST', '/v1/groups', { body: { name } });

  test('belong to their creator; names are unique regardless of case', async () => {
    const { status, body } = await create('Analysts');
    expect([status, Object.keys(body)]).toEqual([200, ['guid', 'name', 'owner_guid']]);
    expect(body.owner_guid).toBe(owner.guid);
    expect((await viewer.call('GET', `/v1/groups/${body.guid}`)).body).toEqual(body);
    expect(await create('ANALYSTS')).toMatchObject(refused(409, 15));
  });

  test.each(['ab', 'a'.repeat(65), 'with space', 'with-dash', 7])('reject the name %s', async (name) => {
    expect(await create(name)).toMatchObject(refused(400, 14));
  });

  test('only the owner or an administrator changes members; members may leave', async () => {
    const { guid } = (await create('Members')).body;
    const add = (who: Person, user_guid: string) =>
      who.call('POST', `/v1/groups/${guid}/members`, { body: { user_guid } });
    const remove = (who: Person, whom: string) => who.call('DELETE', `/v1/groups/${guid}/members/${whom}`);
    expect(await add(viewer, viewer.guid)).toMatchObject(refused(403, 21));
    expect((await add(owner, viewer.guid)).status).toBe(204);
    expect(await add(admin, viewer.guid)).toMatchObject(refused(409, 16));
    expect(await add(owner, ABSENT)).toMatchObject(refused(404, 9));
    expect((await add(admin, admin.guid)).status).toBe(204);
    const members = (await owner.call('GET', `/v1/groups/${guid}/members`)).body;
    expect(members.results.map((user: { guid: string }) => user.guid)).toEqual([viewer.guid, admin.guid]);
    // The contract has no pages here. A client that follows page_number until a page is empty must still finish.
    const page = async (query: string) =>
      (await owner.call('GET', `/v1/groups/${guid}/members${query}`)).body;
    expect(await page('?page_number=1')).toEqual(members);
    expect(await page('?page_number=2')).toEqual({ current_page: 2, results: [], total: 2 });
    expect((await page('?page_number=2&page_size=1')).results).toEqual([members.results[1]]);
    expect((await page('?page_number=3&page_size=1')).results).toEqual([]);
    for (const wrong of ['?page_number=0', '?page_size=501']) expect((await page(wrong)).code).toBe(13);
    expect(await remove(viewer, admin.guid)).toMatchObject(refused(403, 20));
    expect((await remove(viewer, viewer.guid)).status).toBe(204);
    expect(await remove(owner, viewer.guid)).toMatchObject(refused(404, 17));
    expect(await viewer.call('DELETE', `/v1/groups/${guid}`)).toMatchObject(refused(403, 20));
    expect((await owner.call('DELETE', `/v1/groups/${guid}`)).status).toBe(204);
    expect(await owner.call('GET', `/v1/groups/${guid}`)).toMatchObject(refused(404, 4));
  });

  test('are listed by name, with the closest match first for a prefix', async () => {
    for (const name of ['Beta', 'betamax', 'BetaMaximum']) await create(name);
    const names = async (query: string) =>
      (await owner.call('GET', `/v1/groups?${query}`)).body.results.map(
        (group: { name: string }) => group.name,
      );
    expect(await names('prefix=BETA&page_number=4')).toEqual(['Beta', 'betamax', 'BetaMaximum']);
    expect((await names('asc_order=false'))[0]).toBe('BetaMaximum');
  });

  test('are rejected when UserGroups is off', async () => {
    await using without = await startTestServer({ settings: { 'Authorization.UserGroups': false } });
    const { call } = await without.administrator();
    expect(await call('GET', '/v1/groups')).toMatchObject(refused(400, 132));
    expect(await call('POST', '/v1/groups', { body: { name: 'Nope' } })).toMatchObject(refused(400, 132));
  });
});

describe('Keys and sessions', () => {
  test('a key is shown once, and stops working when revoked', async () => {
    const made = (await viewer.call('POST', '/keys', { body: { name: 'mine' } })).body;
    const use = () => server.anonymous('GET', '/v1/user', { headers: { Authorization: `kEy  ${made.key}` } });
    expect(await use()).toMatchObject({ status: 200, body: { guid: viewer.guid } });
    const listed = (await viewer.call('GET', `/v1/users/${viewer.guid}/keys`)).body;
    expect(JSON.stringify(listed)).not.toContain(made.key);
    expect(await owner.call('GET', `/v1/users/${viewer.guid}/keys`)).toMatchObject(refused(403, 19));
    expect((await viewer.call('DELETE', `/v1/users/${viewer.guid}/keys/${made.id}`)).status).toBe(204);
    expect(await use()).toMatchObject(refused(401, 24));
    expect(await viewer.call('DELETE', `/v1/users/${viewer.guid}/keys/${made.id}`)).toMatchObject(
      refused(404, 17),
    );
    expect(await viewer.call('POST', '/keys', { body: { name: '  ' } })).toMatchObject(refused(400, 62));
  });

  test('a key with a lower role than its user says that role', async () => {
    const body = { name: 'reader', role: 'viewer' };
    const { key } = (await owner.call('POST', `/v1/users/${owner.guid}/keys`, { body })).body;
    const headers = { Authorization: `Key ${key}` };
    expect((await server.anonymous('GET', '/v1/user', { headers })).body).toMatchObject({
      guid: owner.guid,
      user_role: 'viewer',
    });
    expect((await owner.call('GET', '/v1/user')).body.user_role).toBe('publisher');
  });

  test('a session requires the XSRF header for changes', async () => {
    const body = { username: viewer.username, password: 'correct horse' };
    const signedIn = await server.anonymous('POST', '//__login__', { body });
    const set = signedIn.headers.getSetCookie();
    expect(set.find((cookie) => cookie.startsWith('pressroom-session='))).toMatch(/HttpOnly.*SameSite=Lax/);
    const cookie = set.map((one) => one.split(';')[0]).join('; ');
    const xsrf = /RSC-XSRF=([^;]+)/.exec(cookie)![1]!;
    expect((await server.anonymous('GET', '/v1/user', { headers: { cookie } })).status).toBe(200);
    const post = (headers: Record<string, string>) =>
      server.anonymous('POST', '/keys', { body: { name: 'k' }, headers: { cookie, ...headers } });
    expect(await post({})).toMatchObject(refused(403, 92));
    expect(await post({ 'X-RSC-XSRF': 'wrong' })).toMatchObject(refused(403, 92));
    expect((await post({ 'X-RSC-XSRF': xsrf })).status).toBe(200);
    const out = await server.anonymous('POST', '//__logout__', { headers: { cookie, 'X-RSC-XSRF': xsrf } });
    expect(out.status).toBe(200);
    expect(await server.anonymous('GET', '/v1/user', { headers: { cookie } })).toMatchObject(
      refused(401, 24),
    );
  });

  test('a wrong password and an unknown name get the same response', async () => {
    const attempts = [
      { username: viewer.username, password: 'wrong!' },
      { username: 'nobody-here', password: 'wrong!' },
    ];
    for (const body of attempts) {
      expect(await server.anonymous('POST', '//__login__', { body })).toMatchObject(refused(401, 30));
    }
  });

  test('the sign-in page redirects to local paths only', async () => {
    for (const [next, location] of [
      ['/content/x/', '/content/x/'],
      ['//evil.example', '/'],
      ['https://evil.example', '/'],
    ]) {
      const raw = new URLSearchParams({
        username: viewer.username,
        password: 'correct horse',
        next: next!,
      }).toString();
      const response = await server.anonymous('POST', '//__login__', { raw });
      expect([response.status, response.headers.get('location')]).toEqual([303, location]);
    }
  });
});

describe('Request bodies', () => {
  test.each([
    ['not JSON', '{"name":', 87],
    ['a list', '[]', 121],
    ['JSON nested too deeply', `{"name":"abc","x":${'['.repeat(60)}${']'.repeat(60)}}`, 121],
    ['a body that is too long', `{"name":"${'a'.repeat(1_100_000)}"}`, 87],
  ])('rejects %s', async (_what, raw, code) => {
    expect(await owner.call('POST', '/v1/content', { raw })).toMatchObject(refused(400, code));
  });

  test.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/json',
    'application/json, application/json',
    'json',
    '',
  ])('reads JSON sent as "%s"', async (type) => {
    count += 1;
    const raw = JSON.stringify({ name: `typed-${count}` });
    expect((await owner.call('POST', '/v1/content', { raw, headers: { 'Content-Type': type } })).status).toBe(
      200,
    );
  });

  test('GET and DELETE accept a Content-Type without a body', async () => {
    const guid = await newContent();
    const headers = { 'Content-Type': 'application/json' };
    expect((await owner.call('GET', `/v1/content/${guid}`, { headers })).status).toBe(200);
    expect((await owner.call('DELETE', `/v1/experimental/content/${guid}`, { headers })).status).toBe(204);
    const other = await newContent();
    const empty = { headers: { 'Content-Type': '' } };
    expect((await owner.call('DELETE', `/v1/experimental/content/${other}`, empty)).status).toBe(204);
  });

  test('ignores an unknown Expect header', async () => {
    const { url } = server;
    const headers = { authorization: `Key ${owner.key}`, expect: 'a-miracle' };
    expect((await ask(url, '/__api__/v1/user', headers)).status).toBe(200);
  });
});

describe('Permissions', () => {
  test('collaborators read, change and delete permissions', async () => {
    const guid = await newContent();
    const path = `/v1/content/${guid}/permissions`;
    const body = { principal_guid: viewer.guid, principal_type: 'user', role: 'viewer' };
    const { id } = (await owner.call('POST', path, { body })).body;
    expect((await owner.call('GET', path)).body).toEqual([{ id, content_guid: guid, ...body }]);
    expect(await viewer.call('GET', path)).toMatchObject(refused(403, 19));
    expect(await owner.call('PUT', `${path}/${id}`, { body: { role: 'owner' } })).toMatchObject(
      refused(403, 33),
    );
    expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(204);
    expect(await owner.call('GET', `${path}/${id}`)).toMatchObject(refused(404, 4));
    expect(await owner.call('PUT', `${path}/${id}`, { body: { role: 'viewer' } })).toMatchObject(
      refused(404, 18),
    );
    expect(await viewer.call('GET', `/v1/content/${guid}`)).toMatchObject(refused(403, 19));
  });
});

describe('Vanity paths', () => {
  const put = (guid: string, body: object) => owner.call('PUT', `/v1/content/${guid}/vanity`, { body });

  test('lead to the content, and conflict with paths in use', async () => {
    const [a, b] = [await newContent(), await newContent()];
    await owner.call('PATCH', `/v1/content/${a}`, { body: { access_type: 'all' } });
    await owner.call('POST', `/v1/content/${a}/bundles`, { raw: makeArchive({ 'index.html': 'vain' }) });
    const { task_id } = (await owner.call('POST', `/v1/content/${a}/deploy`)).body;
    await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
    expect((await put(a, { path: '/team/sales' })).body).toMatchObject({
      content_guid: a,
      path: '/team/sales/',
    });
    expect((await server.anonymous('GET', '//team/sales/')).bytes.toString()).toBe('vain');
    expect((await server.anonymous('GET', '//team/sales')).headers.get('location')).toBe('/team/sales/');
    expect(await put(b, { path: '/Team/Sales/' })).toMatchObject(refused(409, 51));
    expect(await put(b, { path: '/team/' })).toMatchObject(refused(409, 51));
    expect((await put(b, { path: '/team/sales/', force: true })).status).toBe(200);
    expect(await owner.call('GET', `/v1/content/${a}/vanity`)).toMatchObject(refused(404, 4));
    expect((await owner.call('DELETE', `/v1/content/${b}/vanity`)).status).toBe(204);
    expect((await server.anonymous('GET', '//team/sales/')).status).toBe(404);
  });

  test.each([
    ['/__api__/x', 'reserved'],
    ['/content/', 'reserved'],
    ['/a b/', 'only letters'],
    ['/', 'only letters'],
    ['/../x/', 'only letters'],
  ])('cannot be %s', async (path, why) => {
    const { status, body } = await put(await newContent(), { path });
    expect({ status, body }).toMatchObject(refused(400, 52));
    expect(body.error).toContain(why);
  });
});

describe('Environment variables', () => {
  test('are set and removed by name, and their values are never returned', async () => {
    const guid = await newContent();
    const patch = (body: unknown) => owner.call('PATCH', `/v1/content/${guid}/environment`, { body });
    expect(
      (
        await patch([
          { name: 'TOKEN', value: 's3cret-value' },
          { name: 'MODE', value: 'x' },
        ])
      ).body,
    ).toEqual(['MODE', 'TOKEN']);
    expect((await patch([{ name: 'MODE', value: null }])).body).toEqual(['TOKEN']);
    const shown = await owner.call('GET', `/v1/content/${guid}/environment`);
    expect(shown.bytes.toString()).toBe('["TOKEN"]');
    for (const name of ['PATH', 'LD_PRELOAD', 'GLIBC_TUNABLES', 'CONNECT_SERVER'])
      expect(await patch([{ name, value: '/' }])).toMatchObject(refused(409, 108));
    for (const [name, value] of [
      ['NUL', 'a\0b'],
      ['A=B', '1'],
    ])
      expect((await patch([{ name, value }])).status).toBe(400);
    expect(
      await patch([
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ]),
    ).toMatchObject(refused(409, 106));
    const log = await admin.call('GET', '/v1/audit_logs?limit=500');
    expect(log.bytes.toString()).not.toContain('s3cret-value');
    expect(await viewer.call('GET', `/v1/content/${guid}/environment`)).toMatchObject(refused(403, 19));
  });
});

test('server settings, ping and OpenAPI require no key', async () => {
  const { anonymous } = server;
  expect((await anonymous('GET', '//__ping__')).body).toEqual({});
  expect((await anonymous('GET', '/server_settings')).body).toMatchObject({
    authentication: { name: 'password' },
  });
  expect((await anonymous('GET', '/openapi.json')).body.openapi).toBe('3.1.0');
});

test('the front page lists public content, and redirects signed-in users to the dashboard', async () => {
  const publishAs = async (name: string, access_type: string) => {
    const body = { name, title: '<b>Front</b> & back', access_type };
    const { guid } = (await owner.call('POST', '/v1/content', { body })).body;
    await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive({ 'index.html': 'x' }) });
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
    return guid as string;
  };
  const [open, closed] = [await publishAs('front', 'all'), await publishAs('back', 'acl')];
  const front = (await server.anonymous('GET', '//')).bytes.toString();
  expect(front).toContain(`/content/${open}/">&lt;b&gt;Front&lt;/b&gt; &amp; back</a>`);
  expect(front).not.toContain(closed);
  const signedIn = await owner.call('GET', '//');
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([302, '/__dashboard__/']);
});

test('content with restricted access redirects browsers to sign-in and rejects programs', async () => {
  const guid = await newContent();
  const page = await server.anonymous('GET', `//content/${guid}/`, { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('location')]).toEqual([
    302,
    `/__login__?next=%2Fcontent%2F${guid}%2F`,
  ]);
  expect(await server.anonymous('GET', `//content/${guid}/`)).toMatchObject(refused(401, 24));
  expect(await viewer.call('GET', `//content/${guid}/`)).toMatchObject(refused(403, 19));
  expect(await admin.call('GET', `//content/${guid}/`)).toMatchObject(refused(403, 19));
  expect((await owner.call('GET', `//content/${guid}/`)).status).toBe(404);
});
