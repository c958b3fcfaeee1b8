// Covers users and groups from a directory, in two steps: search, then create with the ticket (contract, 4.4 and 4.8).
import { refused, startTestServer, testCertificate, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const PEOPLE = [
  { unique_id: 'u-1', username: 'dora', email: 'dora@corp.example', first_name: 'Dora', last_name: 'Ash' },
  { unique_id: 'u-2', username: 'doran', email: 'doran@corp.example', first_name: 'Al', last_name: 'Elm' },
  { unique_id: 'u-1', username: 'dora2', email: 'two@corp.example', first_name: 'Dora', last_name: 'Two' },
  { unique_id: '', username: 'nobody-id', email: 'x@corp.example', first_name: 'No', last_name: 'Id' },
  { unique_id: 'u-8', username: 'odd name', email: 'o@corp.example', first_name: 'Odd', last_name: 'Name' },
  { unique_id: 'u-3', username: 'eve4', email: 'b@corp.example', first_name: 'zoe', last_name: 'Yew' },
  { unique_id: 'u-4', username: 'eve3', email: 'b@corp.example', first_name: 'Amy', last_name: 'Yew' },
  { unique_id: 'u-5', username: 'eve2', email: 'b@corp.example', first_name: 'amy', last_name: 'Oak' },
  { unique_id: 'u-6', username: 'EVE1', email: 'b@corp.example', first_name: 'Amy', last_name: 'yew' },
];
const GROUPS = [
  { unique_id: 'g-1', name: 'Dolphins' },
  { unique_id: 'g-1', name: 'Dolphins2' },
  { unique_id: 'g-2', name: 'Dol' },
  { unique_id: '', name: 'NoIdGroup' },
];
const starts = (prefix: string) => (text: string) => text.toLowerCase().startsWith(prefix.toLowerCase());
/** Finds entries that start with the prefix; the prefix `broken` gives an outage. */
const directory = {
  async searchPeople(prefix: string, limit: number) {
    if (prefix === 'broken') throw new Error('the directory is down');
    const fits = starts(prefix);
    return PEOPLE.filter((p) => [p.username, p.first_name, p.last_name].some(fits)).slice(0, limit);
  },
  async searchGroups(prefix: string, limit: number) {
    if (prefix === 'broken') throw new Error('the directory is down');
    return GROUPS.filter((group) => starts(prefix)(group.name)).slice(0, limit);
  },
};

let server: TestServer;
let publisher: Person;
let viewer: Person;
/** No server listens there: the directory above replaces it. */
const ldap = {
  'Authentication.Provider': 'ldap',
  'LDAP.URL': 'ldap://127.0.0.1:1',
  'LDAP.UserBase': 'dc=example',
} as const;
beforeAll(async () => {
  server = await startTestServer({ directory });
  [publisher, viewer] = [await server.person('publisher'), await server.person('viewer')];
  await server.restart(ldap);
});
afterAll(() => server[Symbol.asyncDispose]());

const search = (what: 'users' | 'groups', query: string, who = publisher) =>
  who.call('GET', `/v1/${what}/remote?${query}`);
async function ticketOf(what: 'users' | 'groups', name: string): Promise<string> {
  const { results } = (await search(what, `prefix=${encodeURIComponent(name)}`)).body;
  const found = results.find((item: { username?: string; name?: string }) =>
    [item.username, item.name].includes(name),
  );
  return found.temp_ticket;
}
const create = (what: 'users' | 'groups', temp_ticket: unknown, who = publisher) =>
  who.call('PUT', `/v1/${what}`, { body: { temp_ticket } });

describe.each(['users', 'groups'] as const)('Search for remote %s', (what) => {
  test('requires a publisher, a prefix, and a limit of 1 to 500', async () => {
    expect(await search(what, '')).toMatchObject(refused(400, 12));
    for (const limit of ['0', '501']) {
      expect(await search(what, `prefix=do&limit=${limit}`)).toMatchObject(refused(400, 13));
    }
    expect((await search(what, 'prefix=DO&limit=1')).body.results).toHaveLength(1);
    expect(await search(what, 'prefix=do', viewer)).toMatchObject(refused(403, 22));
  });

  test('returns error 63 if the directory fails', async () => {
    expect(await search(what, 'prefix=broken')).toMatchObject(refused(400, 63));
  });

  test('rejects an invalid ticket, or one of the other kind, with error 127', async () => {
    const other = await ticketOf(what === 'users' ? 'groups' : 'users', what === 'users' ? 'Dol' : 'doran');
    for (const ticket of ['', 'abc', 'AAAA.BBBB', other, 7]) {
      expect(await create(what, ticket)).toMatchObject(refused(400, 127));
    }
    expect(await publisher.call('PUT', `/v1/${what}`, { body: {} })).toMatchObject(refused(400, 12));
  });
});

describe('Remote users', () => {
  /** A ticket with the unique id of another person. */
  let twin: string;

  test('are sorted by closest match, and have a guid once they have an account', async () => {
    const found = (await search('users', 'prefix=DORA')).body;
    expect(found.results.map((p: { username: string }) => p.username)).toEqual(['dora', 'dora2', 'doran']);
    expect(found.results[0]).toMatchObject({ guid: null, confirmed: true, locked: false });
    twin = found.results[1].temp_ticket;
    const made = await create('users', await ticketOf('users', 'dora'));
    expect(made).toMatchObject({ status: 200, body: { username: 'dora', user_role: 'viewer' } });
    const again = (await search('users', 'prefix=dora')).body.results;
    expect(again[0]).toMatchObject({ guid: made.body.guid, temp_ticket: expect.any(String) });
    expect((await publisher.call('GET', `/v1/users/${made.body.guid}`)).body).toEqual(made.body);
  });

  test('equally close matches are sorted by first name, last name, username, e-mail (4.8)', async () => {
    const found = (await search('users', 'prefix=eve')).body.results;
    expect(found.map((p: { username: string }) => p.username)).toEqual(['eve2', 'EVE1', 'eve3', 'eve4']);
  });

  test('have their guid even when the directory renamed them (2, UserWithTicket)', async () => {
    const [person, place] = [PEOPLE[3]!, 3];
    PEOPLE[place] = { ...PEOPLE[1]!, unique_id: 'u-7', username: 'frida' };
    const made = await create('users', await ticketOf('users', 'frida'));
    PEOPLE[place] = { ...PEOPLE[place], username: 'gerda' };
    const found = (await search('users', 'prefix=gerda')).body;
    expect(found).toMatchObject({ total: 1, results: [{ guid: made.body.guid, username: 'frida' }] });
    PEOPLE[place] = person;
  });

  test('are created once: taken name 8, invalid name 7, taken or blank unique id 76 and 129', async () => {
    expect(await create('users', await ticketOf('users', 'dora'))).toMatchObject(refused(409, 8));
    expect(await create('users', twin)).toMatchObject(refused(400, 76));
    expect(await create('users', await ticketOf('users', 'odd name'))).toMatchObject(refused(400, 7));
    const blank = await ticketOf('users', 'nobody-id');
    expect(await create('users', blank)).toMatchObject(refused(400, 129));
  });

  test('keep the name and fields that the directory gives them', async () => {
    const admin = await server.administrator();
    const change = (body: object) => admin.call('PUT', `/v1/users/${viewer.guid}`, { body });
    expect(await change({ first_name: 'Other' })).toMatchObject(refused(400, 46));
    expect(await change({ username: 'other' })).toMatchObject(refused(400, 36));
    expect(await change({ user_role: 'publisher' })).toMatchObject({ status: 200 });
    expect(await change({ user_role: 'viewer' })).toMatchObject({ status: 200 });
  });

  test('are confirmed, even if the account had a password before (section 2, UserWithTicket)', async () => {
    const { results } = (await search('users', `prefix=${publisher.username}`)).body;
    expect(results).toMatchObject([{ guid: publisher.guid, confirmed: true }]);
  });

  test('hide their e-mail addresses where the server does, in tickets too', async () => {
    await server.restart({ ...ldap, 'Server.HideEmailAddresses': true });
    const { results } = (await search('users', 'prefix=doran')).body;
    expect(results[0].email).toBe('');
    const pieces: string[] = results[0].temp_ticket.split('.');
    for (const piece of pieces) {
      expect(Buffer.from(piece, 'base64').toString('latin1')).not.toContain('corp.example');
    }
    await server.restart({ ...ldap, 'Authorization.UsersListingMinRole': 'administrator' });
    expect((await search('users', 'prefix=doran')).body).toMatchObject({ results: [], total: 0 });
    await server.restart(ldap);
  });
});

describe('Remote groups', () => {
  test('are sorted by closest match and created without an owner', async () => {
    const found = (await search('groups', 'prefix=dol')).body;
    expect(found.results.map((g: { name: string }) => g.name)).toEqual(['Dol', 'Dolphins', 'Dolphins2']);
    expect(found.results[0].guid).toBeNull();
    const [first, twin] = [await ticketOf('groups', 'Dolphins'), await ticketOf('groups', 'Dolphins2')];
    const made = await create('groups', first);
    expect(made).toMatchObject({ status: 200, body: { name: 'Dolphins', owner_guid: null } });
    expect((await search('groups', 'prefix=dolphins')).body.results[0].guid).toBe(made.body.guid);
    expect([15, 131]).toContain((await create('groups', first)).body.code);
    expect(await create('groups', twin)).toMatchObject(refused(400, 131));
    expect(await create('groups', await ticketOf('groups', 'NoIdGroup'))).toMatchObject(refused(400, 130));
    expect((await publisher.call('GET', '/v1/groups')).body.total).toBe(1);
  });

  test('lose their owner when the directory comes: only administrators delete them (section 2, Group)', async () => {
    await server.restart();
    const { guid } = (await publisher.call('POST', '/v1/groups', { body: { name: 'Before' } })).body;
    await server.restart(ldap);
    const group = { guid, name: 'Before', owner_guid: null };
    expect((await publisher.call('GET', `/v1/groups/${guid}`)).body).toEqual(group);
    expect((await publisher.call('GET', '/v1/groups?prefix=before')).body.results).toEqual([group]);
    expect(await publisher.call('DELETE', `/v1/groups/${guid}`)).toMatchObject(refused(403, 20));
    const admin = await server.administrator();
    expect((await admin.call('DELETE', `/v1/groups/${guid}`)).status).toBe(204);
  });
});

test('accounts and groups are created by ticket or by name, depending on the provider', async () => {
  const admin = await server.administrator();
  const user = { username: 'pushed', password: 'secret1' };
  expect(await admin.call('POST', '/v1/users', { body: user })).toMatchObject(refused(400, 120));
  expect(await admin.call('POST', '/v1/groups', { body: { name: 'Pushed' } })).toMatchObject(
    refused(400, 120),
  );
  const members = `/v1/groups/${viewer.guid}/members`;
  expect(await admin.call('GET', members)).toMatchObject(refused(400, 132));
  await server.restart();
  for (const what of ['users', 'groups'] as const) {
    expect(await create(what, 'any', admin)).toMatchObject(refused(400, 119));
    expect(await search(what, 'prefix=a', admin)).toMatchObject(refused(400, 132));
  }
  await server.restart(ldap);
});

test('search returns error 63 if the directory is unreachable', async () => {
  await using alone = await startTestServer();
  const admin = await alone.administrator();
  await alone.restart(ldap);
  for (const what of ['users', 'groups']) {
    expect(await admin.call('GET', `/v1/${what}/remote?prefix=a`)).toMatchObject(refused(400, 63));
  }
});

const certificate = testCertificate('idp.example').certificate;

test.each(['saml', 'proxied'] as const)('a new account under %s requires a unique id', async (provider) => {
  await using alone = await startTestServer();
  const admin = await alone.administrator();
  await alone.restart({
    'Authentication.Provider': provider,
    'ProxyAuth.UniqueIdHeader': 'X-Id',
    'ProxyAuth.TrustedProxies': '127.0.0.1',
    'ProxyAuth.Secret': 'what only the proxy knows',
    'Server.Address': alone.url,
    'SAML.SingleSignOnURL': 'https://idp.example',
    'SAML.IdentityProvider': 'https://idp.example',
    'SAML.Certificate': certificate,
  });
  const add = (body: object) => admin.call('POST', '/v1/users', { body });
  expect(await add({ username: 'ann' })).toMatchObject(refused(400, 129));
  expect(await add({ username: 'ann', unique_id: 'id-1' })).toMatchObject({ status: 200 });
  expect(await add({ username: 'bob', unique_id: 'id-1' })).toMatchObject(refused(400, 76));
  expect(await add({ username: 'carl', unique_id: 'id-2', password: 'secret1' })).toMatchObject(
    refused(400, 25),
  );
  const body = { username: 'admin', password: 'correct horse' };
  expect(await alone.anonymous('POST', '//__login__', { body })).toMatchObject(refused(403, 95));
  expect(await alone.anonymous('POST', '/v1/users', { body })).toMatchObject(refused(401, 24));
});
