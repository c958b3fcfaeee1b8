// Conformance suite of sign-in providers, with the provider as argument.
import { SETTINGS, type Config } from '@pressroom/server';
import {
  createBrowser,
  KNOWN_PEOPLE,
  startTestServer,
  type CallResponse,
  type Browser,
  type Page,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

export type Who = keyof typeof KNOWN_PEOPLE;

export interface Rig extends AsyncDisposable {
  /** Settings of a server with the provider. */
  readonly settings: Partial<Config>;
  /** Public address of the server; empty for its own. */
  readonly visible?: string;
  /** Signs in as a browser would; returns the last page. */
  signIn(at: string, browser: Browser, who: Who, next?: string): Promise<Page>;
  /** Attempts to sign in with wrong credentials. */
  fail(at: string, browser: Browser, who: Who): Promise<Page>;
  /** A browser of this provider's people. */
  browser?(who: Who): Browser;
}

export interface Expected {
  readonly start: () => Promise<Rig>;
  readonly firstUser: 'made over the API' | 'signs in';
  /** Error code of a failed sign-in, and of one by name and password. */
  readonly failure: number;
  readonly byPassword: boolean;
  /** Whether the provider supplies profiles in addition to names. */
  readonly profile: 'kept here' | 'of the provider';
  readonly creation: 'push' | 'pull';
  /** Required fields of a new account for the person to sign in to it. */
  readonly pushed?: (who: Who) => Record<string, unknown>;
  /** Search text for a person without an account. */
  readonly searched?: (who: Who) => string;
  readonly groups: 'kept here' | 'of the provider';
  readonly remoteGroups: boolean;
}

const refusal = (page: Page) =>
  page.text.startsWith('{') ? (JSON.parse(page.text) as { code: number }).code : 0;
const json = (page: Page): CallResponse['body'] => JSON.parse(page.text);

export function describeProvider(kind: Config['Authentication.Provider'], expected: Expected): void {
  describe(`${kind} authentication`, () => {
    let rig: Rig;
    let server: TestServer;
    let at: string;
    let admin: Person['call'];
    let adminGuid: string;
    const logged: string[] = [];
    beforeAll(async () => {
      rig = await expected.start();
      server = await startTestServer({
        settings: { 'Authentication.Provider': kind, ...rig.settings },
        log: pino({ level: 'debug' }, { write: (line) => logged.push(line) }),
        pause: async () => undefined,
      });
      at = rig.visible ?? server.url;
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
      await rig?.[Symbol.asyncDispose]();
    });

    /** The front page redirects signed-in people here. */
    const home = () => `${at}/__dashboard__/`;
    const browserOf = (who: Who) => rig.browser?.(who) ?? createBrowser();
    async function signedIn(who: Who, browser = browserOf(who)): Promise<Browser> {
      const page = await rig.signIn(at, browser, who);
      expect([page.status, page.url]).toEqual([200, home()]);
      return browser;
    }
    const whoAmI = async (browser: Browser) => json(await browser.get(`${at}/__api__/v1/user`));
    const restart = async (more: Partial<Config>) => {
      await server.restart(more);
      at = rig.visible ?? server.url;
    };

    test('the first user becomes an administrator', async () => {
      if (expected.firstUser === 'made over the API') {
        const { username, password, email, first_name, last_name } = KNOWN_PEOPLE.alice;
        const body = { username, password, email, first_name, last_name };
        expect(await server.anonymous('POST', '/v1/users', { body })).toMatchObject({ status: 200 });
      } else {
        const body = { username: 'alice', unique_id: 'id-alice' };
        expect((await server.anonymous('POST', '/v1/users', { body })).body).toMatchObject({ code: 24 });
      }
      const alice = await signedIn('alice');
      const me = await whoAmI(alice);
      expect(me).toMatchObject({ username: 'alice', user_role: 'administrator', locked: false });
      const { email, first_name, last_name } = KNOWN_PEOPLE.alice;
      if (expected.profile === 'of the provider') expect(me).toMatchObject({ email, first_name, last_name });
      const made = await alice.api('POST', `${at}/__api__/keys`, { name: 'admin' });
      const { key } = json(made);
      adminGuid = me.guid;
      admin = async (method, path, options) =>
        server.anonymous(method, path, { ...options, headers: { Authorization: `Key ${key}` } });
    });

    test('accounts are created as the provider requires, and their owners sign in', async () => {
      const push = { username: 'bob', ...expected.pushed?.('bob') };
      const remote = `/v1/users/remote?prefix=${encodeURIComponent(expected.searched?.('bob') ?? 'bob')}`;
      let guid: string;
      if (expected.creation === 'push') {
        expect((await admin('PUT', '/v1/users', { body: { temp_ticket: 'x' } })).body.code).toBe(119);
        expect((await admin('GET', remote)).body.code).toBe(132);
        const made = await admin('POST', '/v1/users', { body: push });
        expect(made.status).toBe(200);
        ({ guid } = made.body);
      } else {
        expect((await admin('POST', '/v1/users', { body: push })).body.code).toBe(120);
        const found = await admin('GET', remote);
        expect(found.body.results).toMatchObject([{ guid: null, confirmed: true }]);
        const { temp_ticket } = found.body.results[0];
        for (const bad of [
          `${temp_ticket.slice(0, 30)}AAAA${temp_ticket.slice(34)}`,
          temp_ticket.slice(4),
          '',
        ]) {
          expect((await admin('PUT', '/v1/users', { body: { temp_ticket: bad } })).body.code).toBe(127);
        }
        expect((await admin('PUT', '/v1/groups', { body: { temp_ticket } })).body.code).toBe(
          expected.remoteGroups ? 127 : 119,
        );
        const made = await admin('PUT', '/v1/users', { body: { temp_ticket } });
        expect(made).toMatchObject({ status: 200, body: { user_role: 'viewer' } });
        ({ guid } = made.body);
        expect((await admin('GET', remote)).body.results).toMatchObject([{ guid }]);
      }
      expect(await whoAmI(await signedIn('bob'))).toMatchObject({ guid, user_role: 'viewer' });
    });

    test('the first sign-in creates an account, unless that is turned off', async () => {
      if (expected.firstUser === 'made over the API') {
        expect((await rig.signIn(at, createBrowser(), 'carol')).status).toBe(401);
        return;
      }
      await restart({ 'Authentication.RegisterOnFirstLogin': false });
      expect((await rig.signIn(at, browserOf('carol'), 'carol')).status).toBe(400);
      await signedIn('alice');
      await restart({});
      expect(await whoAmI(await signedIn('carol'))).toMatchObject({ username: 'carol', user_role: 'viewer' });
    });

    test('rejects wrong credentials without a session', async () => {
      const browser = browserOf('alice');
      const page = await rig.fail(at, browser, 'alice');
      expect(page.status).toBe(401);
      if (expected.byPassword) {
        const body = { username: 'alice', password: 'wrong' };
        const response = await server.anonymous('POST', '//__login__', { body });
        expect(response.body).toMatchObject({ code: expected.failure });
        expect(response.headers.getSetCookie()).toEqual([]);
      } else {
        const body = { username: 'alice', password: KNOWN_PEOPLE.alice.password };
        expect((await server.anonymous('POST', '//__login__', { body })).body).toMatchObject({ code: 95 });
      }
      expect(browser.cookie(`${at}/`, 'pressroom-session')).toBeUndefined();
    });

    test('a session calls the API with its XSRF header, a key without it', async () => {
      const bob = await signedIn('bob');
      const call = (headers = {}) =>
        bob.request(`${at}/__api__/keys`, { method: 'POST', headers, body: '{"name":"k"}' });
      expect(refusal(await call())).toBe(92);
      expect(refusal(await call({ 'X-RSC-XSRF': 'guessed' }))).toBe(92);
      const made = json(await bob.api('POST', `${at}/__api__/keys`, { name: 'k' }));
      const headers = { Authorization: `Key ${String(made.key)}` };
      const withKey = () => createBrowser(headers).get(`${at}/__api__/v1/user`);
      expect((await withKey()).status).toBe(200);

      const token = bob.cookie(`${at}/`, 'pressroom-session')!;
      expect((await bob.api('POST', `${at}/__logout__`)).status).toBe(200);
      expect(bob.cookie(`${at}/`, 'pressroom-session')).toBeUndefined();
      bob.setCookie(`${at}/`, 'pressroom-session', token);
      expect(refusal(await bob.get(`${at}/__api__/v1/user`))).toBe(24);
      expect((await withKey()).status).toBe(200);

      const path = `/v1/users/${String(made.user_guid)}/keys/${String(made.id)}`;
      expect((await admin('DELETE', path)).status).toBe(204);
      expect(refusal(await withKey())).toBe(24);
    });

    test('signing in again replaces the session', async () => {
      const bob = await signedIn('bob');
      const old = bob.cookie(`${at}/`, 'pressroom-session')!;
      await signedIn('bob', bob);
      expect(bob.cookie(`${at}/`, 'pressroom-session')).not.toBe(old);
      const thief = browserOf('bob');
      thief.setCookie(`${at}/`, 'pressroom-session', old);
      expect(refusal(await thief.get(`${at}/__api__/v1/user`))).toBe(24);
      expect((await bob.get(`${at}/__api__/v1/user`)).status).toBe(200);
    });

    test('a locked account cannot use or start a session until it is unlocked', async () => {
      const bob = await signedIn('bob');
      const { guid } = await whoAmI(bob);
      const lock = (locked: boolean) => admin('POST', `/v1/users/${guid}/lock`, { body: { locked } });
      expect((await lock(true)).status).toBe(200);
      expect([24, 50]).toContain(refusal(await bob.get(`${at}/__api__/v1/user`)));
      expect((await rig.signIn(at, browserOf('bob'), 'bob')).status).toBe(403);
      expect((await lock(false)).status).toBe(200);
      await signedIn('bob');
      expect((await admin('POST', `/v1/users/${adminGuid}/lock`, { body: { locked: true } })).body.code).toBe(
        49,
      );
    });

    test('names and addresses change only where the provider allows it', async () => {
      const { guid } = await whoAmI(await signedIn('bob'));
      const change = (body: object) => admin('PUT', `/v1/users/${guid}`, { body });
      if (expected.profile === 'of the provider') {
        for (const body of [{ first_name: 'X' }, { last_name: 'X' }, { email: 'x@corp.example' }]) {
          expect((await change(body)).body.code).toBe(46);
        }
      } else {
        expect(await change({ first_name: 'Robert' })).toMatchObject({ status: 200 });
        expect(await whoAmI(await signedIn('bob'))).toMatchObject({ first_name: 'Robert' });
      }
      const renamed = await change({ username: 'robert' });
      expect(renamed.body.code).toBe(kind === 'password' ? undefined : 36);
      if (kind === 'password') expect((await change({ username: 'bob' })).status).toBe(200);
      expect((await change({ user_role: 'publisher' })).status).toBe(200);
      expect(await whoAmI(await signedIn('bob'))).toMatchObject({ user_role: 'publisher' });
    });

    test('groups come from the provider, or are created here', async () => {
      const search = await admin('GET', '/v1/groups/remote?prefix=Ana');
      const made = await admin('POST', '/v1/groups', { body: { name: 'Makers' } });
      if (expected.remoteGroups) {
        expect(made.body.code).toBe(120);
        expect(search.body.results).toMatchObject([{ guid: null, name: 'Analysts' }]);
        const { temp_ticket } = search.body.results[0];
        expect((await admin('PUT', '/v1/users', { body: { temp_ticket } })).body.code).toBe(127);
        const group = await admin('PUT', '/v1/groups', { body: { temp_ticket } });
        expect(group).toMatchObject({ status: 200, body: { name: 'Analysts', owner_guid: null } });
        expect((await admin('GET', `/v1/groups/${group.body.guid}/members`)).body.code).toBe(132);
        return;
      }
      expect(search.body.code).toBe(132);
      expect((await admin('PUT', '/v1/groups', { body: { temp_ticket: 'x' } })).body.code).toBe(119);
      const owner_guid = expected.groups === 'of the provider' ? null : adminGuid;
      expect(made).toMatchObject({ status: 200, body: { owner_guid } });
      const members = `/v1/groups/${made.body.guid}/members`;
      expect((await admin('POST', members, { body: { user_guid: adminGuid } })).status).toBe(204);
      expect((await admin('GET', members)).body.total).toBe(1);
      await signedIn('alice');
      expect((await admin('GET', members)).body.total).toBe(1);
    });

    test('sign-in redirects to pages of this server only', async () => {
      const inside = await rig.signIn(
        at,
        browserOf('alice'),
        'alice',
        '/__dashboard__/device?code=BCDF-GHJK',
      );
      expect(inside.url).toBe(`${at}/__dashboard__/device?code=BCDF-GHJK`);
      const elsewhere = [
        'https://evil.example/',
        '//evil.example',
        '/\\evil.example',
        '\\\\evil.example',
        'javascript:alert(1)',
        '/%0d%0aSet-Cookie:x=1\r\nX-Injected: 1',
        '/\t/evil.example',
      ];
      for (const next of elsewhere) {
        const page = await rig.signIn(at, browserOf('alice'), 'alice', next);
        expect([page.url, page.headers.get('x-injected')]).toEqual([home(), null]);
      }
    });

    test('neither logs nor settings reveal passwords or secrets', async () => {
      const shown = (await server.anonymous('GET', '/server_settings')).bytes.toString();
      const names = Object.entries(SETTINGS).filter(([, setting]) => 'secret' in setting);
      const settings = names.map(([name]) => String(rig.settings[name as keyof Config] ?? ''));
      const passwords = Object.values(KNOWN_PEOPLE).map((person) => person.password);
      const secrets = [...settings, ...passwords].filter((secret) => secret !== '');
      const said = shown + logged.join('');
      expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
    });
  });
}
