// Covers LDAP with a real slapd.
import { loadConfig } from '@pressroom/server';
import {
  type CallResponse,
  createBrowser,
  CROWD,
  KNOWN_PEOPLE,
  startSlapd,
  startTestServer,
  type TestServer,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSignIn } from '../../../packages/server/src/main/doctor/check-sign-in.ts';
import { createLdap } from '../../../packages/server/src/sign-in/providers/ldap/index.ts';
import type { ProviderParts } from '../../../packages/server/src/sign-in/providers/provider.ts';
import { describeProvider } from './conformance.ts';
import { formRig } from './form-rig.ts';

describeProvider('ldap', {
  async start() {
    const slapd = await startSlapd();
    return formRig(slapd.settings, slapd);
  },
  firstUser: 'signs in',
  failure: 30,
  byPassword: true,
  profile: 'of the provider',
  creation: 'pull',
  groups: 'of the provider',
  remoteGroups: true,
});

/** Entries that a server which builds filters by concatenation would find, or confuse with others. */
const STRANGE = `dn: uid=robin,{people}
objectClass: inetOrgPerson
uid: robin
cn: robin
sn: Robin
userPassword: robin has a secret

dn: cn=star,{people}
objectClass: inetOrgPerson
uid: star*
cn: star
sn: Star
userPassword: star has a secret

dn: cn=paren,{people}
objectClass: inetOrgPerson
uid: x)(uid=*
cn: paren
sn: Paren

dn: cn=twin1,{people}
objectClass: inetOrgPerson
uid: twin
cn: twin1
sn: Twin
userPassword: twins share a secret

dn: cn=twin2,{people}
objectClass: inetOrgPerson
uid: twin
cn: twin2
sn: Twin
userPassword: twins share a secret

dn: cn=Rules,ou=groups,dc=corp,dc=example
objectClass: groupOfNames
cn: Rules
member: uid=carol,{people}

dn: ou=elsewhere,{people}
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://127.0.0.1:9/ou=elsewhere`;

describe('LDAP directory', () => {
  let slapd: Awaited<ReturnType<typeof startSlapd>>;
  let server: TestServer;
  let admin: (method: string, path: string, body?: unknown) => Promise<Pick<CallResponse, 'status' | 'body'>>;
  beforeAll(async () => {
    slapd = await startSlapd(STRANGE);
    server = await startTestServer({
      settings: { 'Authentication.Provider': 'ldap', ...slapd.settings },
      pause: async () => undefined,
    });
    const browser = createBrowser();
    const { username, password } = KNOWN_PEOPLE.alice;
    await browser.submit(`${server.url}/__login__`, { username, password });
    admin = async (method, path, body) => {
      const page = await browser.api(method, `${server.url}/__api__${path}`, body);
      return { status: page.status, body: page.text === '' ? null : JSON.parse(page.text) };
    };
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await slapd?.[Symbol.asyncDispose]();
  });

  const signIn = async (username: string, password: string) =>
    (await server.anonymous('POST', '//__login__', { body: { username, password } })).body as {
      code?: number;
      username?: string;
      guid?: string;
    };
  const search = async (what: string, prefix: string, limit = 20) => {
    const path = `/v1/${what}/remote?prefix=${encodeURIComponent(prefix)}&limit=${limit}`;
    return admin('GET', path);
  };

  test('the dashboard shows and deletes groups of the directory', async () => {
    const { body } = await search('groups', '', 1);
    const { temp_ticket, name } = body.results[0];
    const { guid } = (await admin('PUT', '/v1/groups', { temp_ticket })).body;
    const browser = createBrowser();
    const { username, password } = KNOWN_PEOPLE.alice;
    await browser.submit(`${server.url}/__login__`, { username, password });
    const list = await browser.get(`${server.url}/__dashboard__/groups`);
    expect([list.status, list.text.includes(name), list.text.includes('id="name"')]).toEqual([
      200,
      true,
      false,
    ]);
    const page = await browser.get(`${server.url}/__dashboard__/groups/${guid}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('those of the directory')]);
    const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF') ?? '';
    const path = `${server.url}/__dashboard__/groups/${guid}/delete`;
    expect((await browser.submit(path, { xsrf, sure: 'on' })).status).toBe(303);
    expect((await admin('GET', `/v1/groups/${guid}`)).status).toBe(404);
  });

  test('rejects patterns, empty passwords and ambiguous names', async () => {
    const { password } = KNOWN_PEOPLE.alice;
    for (const name of ['*', 'ali*', 'alice)(uid=*', '*)(objectClass=*', 'alice\\00', '\\2a', '(', '']) {
      expect([name, await signIn(name, password)]).toMatchObject([name, { code: 30 }]);
    }
    expect(await signIn('alice', '')).toMatchObject({ code: 30 });
    expect(await signIn('twin', 'twins share a secret')).toMatchObject({ code: 30 });
    // Found by its exact name, which is not a valid account name.
    expect(await signIn('star*', 'star has a secret')).toMatchObject({ code: 91 });
    expect(await signIn('ALICE', password)).toMatchObject({ username: 'alice' });
  });

  test('the doctor reports a wrong bind password, base or attribute, and a filter that finds nobody', async () => {
    const settings = { 'Authentication.Provider': 'ldap', ...slapd.settings } as const;
    const ask = async (other: object) => {
      const [found] = await checkSignIn(loadConfig({}, { ...settings, ...other }));
      return [found?.state, found?.message];
    };
    expect(await ask({})).toEqual(['good', 'ldap, which answers']);
    expect((await ask({ 'LDAP.BindPassword': 'of another' }))[0]).toBe('bad');
    expect(await ask({ 'LDAP.UserFilter': '(uid=nobody-has-this)' })).toEqual([
      'bad',
      'ldap: LDAP.UserFilter finds nobody below LDAP.UserBase',
    ]);
    expect(await ask({ 'LDAP.UniqueIdAttribute': 'objectGUID' })).toEqual([
      'bad',
      expect.stringContaining('LDAP.UniqueIdAttribute is objectGUID, which nobody has'),
    ]);
    expect((await ask({ 'LDAP.UserBase': 'ou=nowhere,dc=corp,dc=example' }))[1]).toContain(
      'the directory has no entry ou=nowhere,dc=corp,dc=example',
    );
  });

  test('groups are found by a matching rule of the directory, too', async () => {
    const settings = { ...slapd.settings, 'LDAP.GroupMemberAttribute': 'member:distinguishedNameMatch:' };
    await using provider = createLdap({ config: loadConfig({}, settings) } as ProviderParts);
    if (provider.signIn.by !== 'form') throw new Error('not a form');
    const { username, password } = KNOWN_PEOPLE.carol;
    const proof = await provider.signIn.check(username, password);
    expect(proof).toMatchObject({ person: { groups: [{ name: 'Rules' }] } });
  });

  test('logs the reason when the directory does not respond', async () => {
    const logged: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => logged.push(line) });
    const settings = { 'Authentication.Provider': 'ldap', ...slapd.settings } as const;
    await using other = await startTestServer({
      settings: { ...settings, 'LDAP.BindPassword': 'of another' },
      log,
    });
    const body = { username: 'alice', password: KNOWN_PEOPLE.alice.password };
    expect((await other.anonymous('POST', '//__login__', { body })).body).toMatchObject({ code: 63 });
    expect(JSON.parse(logged.at(-1)!)).toMatchObject({
      msg: 'sign-in failed',
      code: 63,
      why: 'the directory refuses LDAP.BindDN with LDAP.BindPassword',
    });
    expect(logged.join('')).not.toMatch(/of another|has a secret/);
  });

  test('searches for the exact text that was typed', async () => {
    for (const [prefix, found] of [
      ['star*', ['star*']],
      ['x)(uid', ['x)(uid=*']],
      ['*', []],
      ['DAV', ['dave']],
      ['Dogwood', ['dave']],
    ] as const) {
      const { body } = await search('users', prefix);
      expect(body.results.map((person: { username: string }) => person.username)).toEqual(found);
    }
  });

  test('reads results in pages, beyond the size limit of one search', async () => {
    expect((await search('users', 'crowd', 500)).body.results).toHaveLength(500);
    expect((await search('users', `crowd0${CROWD - 1}`)).body.results).toHaveLength(1);
    expect((await search('users', 'Some', 500)).body.results).toHaveLength(500);
    expect((await search('users', '', 3)).body.results).toHaveLength(3);
  });

  test('updates group members and names at each sign-in', async () => {
    const { body } = await search('groups', 'Editors');
    const { temp_ticket } = body.results[0];
    const group = await admin('PUT', '/v1/groups', { temp_ticket });
    const content = await admin('POST', '/v1/content', { name: 'for-editors' });
    const path = `/v1/content/${content.body.guid}`;
    await admin('POST', `${path}/permissions`, {
      principal_guid: group.body.guid,
      principal_type: 'group',
      role: 'viewer',
    });
    const visit = async () => {
      const bob = createBrowser();
      const { username, password } = KNOWN_PEOPLE.bob;
      await bob.submit(`${server.url}/__login__`, { username, password });
      const me = JSON.parse((await bob.get(`${server.url}/__api__/v1/user`)).text) as { last_name: string };
      return [me.last_name, (await bob.get(`${server.url}/__api__${path}`)).status];
    };
    expect(await visit()).toEqual(['Birch', 200]);
    slapd.modify(
      'dn: cn=Editors,{groups}\nchangetype: modify\nreplace: member\nmember: uid=carol,{people}\n\n' +
        'dn: uid=bob,{people}\nchangetype: modify\nreplace: sn\nsn: Beech\n',
    );
    expect(await visit()).toEqual(['Beech', 403]);
  });

  test('a person who was deleted and added again gets the name, once the old account is locked and renamed', async () => {
    const first = await signIn('dave', KNOWN_PEOPLE.dave.password);
    slapd.modify(`dn: uid=dave,{people}\nchangetype: delete\n`);
    slapd.modify(
      `dn: uid=dave,{people}\nchangetype: add\nobjectClass: inetOrgPerson\ncn: dave\nsn: D\nuserPassword: another secret\n`,
    );
    expect(await signIn('dave', 'another secret')).toMatchObject({
      code: 8,
      error: expect.stringContaining('lock and rename'),
    });
    const { body } = await admin('GET', '/v1/users?prefix=dave');
    const { guid } = body.results[0];
    const rename = () => admin('PUT', `/v1/users/${guid}`, { username: 'dave-2025' });
    expect((await rename()).body).toMatchObject({ code: 36 });
    await admin('POST', `/v1/users/${guid}/lock`, { locked: true });
    expect((await rename()).body).toMatchObject({ username: 'dave-2025' });
    expect(first).toMatchObject({ guid });
    const second = await signIn('dave', 'another secret');
    expect(second).toMatchObject({ username: 'dave', guid: expect.not.stringContaining(guid) });
  });

  test('the page of a locked person has a field for the name', async () => {
    const browser = createBrowser();
    const { username, password } = KNOWN_PEOPLE.alice;
    await browser.submit(`${server.url}/__login__`, { username, password });
    await signIn('robin', 'robin has a secret');
    const [{ guid }] = (await admin('GET', '/v1/users?prefix=robin')).body.results;
    const hasField = async () => {
      const page = await browser.get(`${server.url}/__dashboard__/users/${guid}`);
      return [page.status, page.text.includes('name="username"')];
    };
    expect(await hasField()).toEqual([200, false]);
    await admin('POST', `/v1/users/${guid}/lock`, { locked: true });
    expect(await hasField()).toEqual([200, true]);
    const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF') ?? '';
    await browser.submit(`${server.url}/__dashboard__/users/${guid}`, { xsrf, username: 'robin-2025' });
    expect((await admin('GET', `/v1/users/${guid}`)).body).toMatchObject({ username: 'robin-2025' });
  });

  test.each([
    ['that is unreachable', { 'LDAP.URL': 'ldap://127.0.0.1:1' }],
    ['with an untrusted certificate', { 'LDAP.CertificateAuthority': '' }],
    ['that rejects the search account', { 'LDAP.BindPassword': 'wrong' }],
  ])('a directory %s returns error 63 for every user', async (_what, settings) => {
    await using other = await startTestServer({
      settings: { 'Authentication.Provider': 'ldap', ...slapd.settings, ...settings },
    });
    for (const { username, password } of [KNOWN_PEOPLE.alice, { username: 'nobody', password: 'x' }]) {
      const response = await other.anonymous('POST', '//__login__', { body: { username, password } });
      expect(response.body).toMatchObject({ code: 63 });
      expect(response.bytes.toString()).not.toMatch(/manager secret|cn=manager/);
    }
  });

  test('connects with StartTLS, and verifies the certificate', async () => {
    const startTls = { ...slapd.settings, 'LDAP.URL': slapd.plainUrl, 'LDAP.StartTLS': true };
    for (const [authority, code] of [
      [slapd.authority, undefined],
      ['', 63],
    ] as const) {
      await using other = await startTestServer({
        settings: { 'Authentication.Provider': 'ldap', ...startTls, 'LDAP.CertificateAuthority': authority },
      });
      const { username, password } = KNOWN_PEOPLE.alice;
      const response = await other.anonymous('POST', '//__login__', { body: { username, password } });
      expect(response.body.code).toBe(code);
    }
  });
});

test.each([
  [{}, 'LDAP.URL, LDAP.UserBase'],
  [{ 'LDAP.URL': 'ldap://directory.example', 'LDAP.UserBase': 'dc=x' }, 'LDAP.URL'],
  [{ 'LDAP.URL': 'nonsense', 'LDAP.UserBase': 'dc=x' }, 'LDAP.URL'],
  [{ 'LDAP.URL': 'ldaps://d.example', 'LDAP.UserBase': 'dc=x', 'LDAP.UserFilter': '(((' }, 'LDAP.UserFilter'],
  [
    { 'LDAP.URL': 'ldaps://d.example', 'LDAP.UserBase': 'dc=x', 'LDAP.CertificateAuthority': '/none' },
    'LDAP.CertificateAuthority',
  ],
  [
    { 'LDAP.URL': 'ldaps://d.example', 'LDAP.UserBase': 'dc=x', 'LDAP.CertificateAuthority': '/etc/passwd' },
    'LDAP.CertificateAuthority: it does not contain a certificate',
  ],
])('startup fails and names the settings: %j', async (settings, named) => {
  await expect(
    startTestServer({ settings: { 'Authentication.Provider': 'ldap', ...settings } }),
  ).rejects.toThrow(named);
});
