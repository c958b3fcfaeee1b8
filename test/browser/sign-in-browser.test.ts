// Covers sign-in with a real Chromium, for its rules about cookies, forms and sites.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '@pressroom/server';
import {
  createSamlProvider,
  freePort,
  KNOWN_PEOPLE,
  OIDC_CLIENT,
  openBrowser,
  SAML_PROVIDER,
  startNginx,
  startOidc,
  startSlapd,
  startTestServer,
} from '@pressroom/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';
import { makeKnownService } from '../acceptance/sign-in/pam-service.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const { alice } = KNOWN_PEOPLE;

async function fillIn(page: Page, password = alice.password): Promise<void> {
  await page.getByLabel('Username').fill(alice.username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

interface Setting {
  readonly server: Partial<Config>;
  readonly visible: string;
  /** Signs in, from the sign-in page or the provider's page to the target. */
  readonly signIn: (page: Page) => Promise<void>;
  readonly context?: Parameters<Browser['newContext']>[0];
  /** What follows on the page after signing out. */
  readonly signedOut?: (page: Page) => Promise<void>;
  readonly end?: () => PromiseLike<void>;
}

/**
 * Confirms a waiting `pressroom login`, creates a key in the dashboard, uses it with `pressroom`, revokes it and signs
 * out. Key and session must be invalid then.
 * Returns the owner of the key.
 */
async function liveThrough(provider: Config['Authentication.Provider'], setting: Setting): Promise<string> {
  const { visible, signIn } = setting;
  const server = await startTestServer({
    settings: {
      'Authentication.Provider': provider,
      'HTTP.Listen': new URL(visible).host,
      ...setting.server,
    },
  });
  const context = await browser.newContext(setting.context);
  try {
    if (provider === 'password') {
      const { username, password, email } = alice;
      await server.anonymous('POST', '/v1/users', { body: { username, password, email } });
    }
    const page = await context.newPage();
    const keys = `${visible}/__dashboard__/keys`;
    await using login = await startLogin(visible);
    await page.goto(login.page);
    await signIn(page);
    await page.waitForURL(login.page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(keys);
    expect(await login.end).toBe(`Signed in to ${visible} as alice. The key is in ${login.file}.\n`);
    await page.reload();
    await page.getByRole('row', { name: /pressroom on / }).waitFor();
    expect(await page.evaluate('document.cookie')).not.toContain('pressroom');
    const cookies = [...(await cookiesOf(context, visible)).values()];

    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByLabel(/^Key/).inputValue();
    const whose = await whoAmI(server.url, key);

    await page.goto(keys);
    const row = page.getByRole('row', { name: /laptop/ });
    await row.getByLabel('Confirm').check();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Key revoked.').waitFor();
    const mine = await server.anonymous('GET', '/v1/user', { headers: { Authorization: `Key ${key}` } });
    expect(mine.status).toBe(401);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    expect((await server.anonymous('GET', '/v1/user', { headers: { cookie } })).status).toBe(401);
    await setting.signedOut?.(page);
    return whose;
  } finally {
    await context.close();
    await server[Symbol.asyncDispose]();
    await setting.end?.();
  }
}

/** Starts the command and returns the address that it prints. */
async function startLogin(url: string) {
  const home = await mkdtemp(join(tmpdir(), 'pressroom-login-'));
  const env = { PATH: process.env.PATH, HOME: home };
  const page = Promise.withResolvers<string>();
  const cancel = new AbortController();
  const end = runHere(['login', url, '--browser'], {
    env,
    cwd: home,
    signal: cancel.signal,
    onNote(said) {
      if (said.includes('Ctrl-C')) page.resolve(/^Open (\S+)$/m.exec(said)?.[1] ?? `no page: ${said}`);
    },
  }).then(({ stdout }) => stdout);
  end.catch(page.reject);
  return {
    page: await page.promise,
    end,
    file: join(home, '.config/pressroom/credentials.json'),
    async [Symbol.asyncDispose]() {
      cancel.abort();
      await end.catch(() => undefined);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Returns whose key it is, as the command line reports it. */
async function whoAmI(url: string, key: string): Promise<string> {
  const env = { PATH: process.env.PATH, CONNECT_SERVER: url, CONNECT_API_KEY: key };
  const { stdout } = await runHere(['whoami', '--json'], { env, cwd: tmpdir() });
  return (JSON.parse(stdout) as { user: { username: string } }).user.username;
}

async function cookiesOf(context: BrowserContext, url: string) {
  // Cookies ignore ports, so those of other test servers are included.
  const all = await context.cookies(`${url}/__login__/callback`);
  const cookies = all.filter(({ name }) => /^(pressroom|RSC)/.test(name));
  for (const { sameSite, name, httpOnly } of cookies) {
    expect([name, sameSite, httpOnly]).toEqual([name, 'Lax', true]);
  }
  return new Map(cookies.map((cookie) => [cookie.name, cookie]));
}

const here = async () => `http://127.0.0.1:${await freePort()}`;

test('authorizes a program that opened the browser, and goes back to it', async () => {
  await using server = await startTestServer();
  const { promise: returned, resolve } = Promise.withResolvers<URL>();
  const program = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) resolve(new URL(request.url, 'http://127.0.0.1'));
    response.setHeader('Content-Type', 'text/html').end('<p>Back in the program');
  }).listen(0, '127.0.0.1');
  await once(program, 'listening');
  const context = await browser.newContext();
  try {
    const { username } = await server.person('viewer');
    const page = await context.newPage();
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: 'Posit CLI',
      redirect_uri: `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      state: 'mine',
    });
    await page.goto(`${server.url}/__dashboard__/authorize?${asked.toString()}`);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Back in the program').waitFor();
    const { searchParams } = await returned;
    expect(searchParams.get('state')).toBe('mine');
    expect(searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  } finally {
    await context.close();
    program.close();
  }
});

test('signs in with a password, after a wrong one', async () => {
  const who = await liveThrough('password', {
    server: {},
    visible: await here(),
    async signIn(page) {
      await fillIn(page, 'wrong');
      await page.getByRole('alert').waitFor();
      await fillIn(page);
    },
  });
  expect(who).toBe('alice');
});

test.runIf(process.getuid?.() === 0)('signs in with a password checked by PAM', async () => {
  const service = makeKnownService();
  const who = await liveThrough('pam', {
    server: { 'PAM.Service': service.name },
    visible: await here(),
    signIn: (page) => fillIn(page),
    end: async () => service[Symbol.dispose](),
  });
  expect(who).toBe('alice');
});

test('signs in with the password of an LDAP directory', async () => {
  const slapd = await startSlapd();
  const who = await liveThrough('ldap', {
    server: slapd.settings,
    visible: await here(),
    signIn: fillIn,
    end: () => slapd[Symbol.asyncDispose](),
  });
  expect(who).toBe('alice');
});

test('signs in at an OpenID Connect provider', async () => {
  const visible = await here();
  const oidc = await startOidc(`${visible}/__login__/callback`);
  oidc.visitor = 'id-alice';
  const who = await liveThrough('oauth2', {
    server: {
      'Server.Address': visible,
      'OAuth2.Issuer': oidc.issuer,
      'OAuth2.ClientId': OIDC_CLIENT,
      'OAuth2.ClientSecret': oidc.clientSecret,
    },
    visible,
    signIn: async () => undefined,
    async signedOut(page) {
      // The provider's page imports a font from the Internet.
      await page.route(/fonts\.googleapis\.com/, (route) => route.abort());
      const link = page.getByRole('link', { name: 'sign out there, too' });
      expect(await link.getAttribute('href')).toBe(`${oidc.issuer}/session/end?client_id=${OIDC_CLIENT}`);
      await link.click();
      await page.getByText('Sign-out Success').waitFor();
    },
    end: () => oidc[Symbol.asyncDispose](),
  });
  expect(who).toBe('alice');
});

test('signs in at a SAML provider that posts the response from another site', async () => {
  const visible = await here();
  const provider = createSamlProvider(visible);
  const pages = createServer((request, response) => {
    if (!request.url!.startsWith('/sign-on')) return void response.writeHead(404).end();
    const asked = provider.requestIn(new URL(request.url!, 'http://localhost').href);
    void provider.respond({ username: 'alice', request: asked }).then((result) =>
      response.setHeader('Content-Type', 'text/html').end(
        `<form method="post" action="${visible}/__login__/callback">
          <input type="hidden" name="SAMLResponse" value="${result}"><button>Continue</button></form>`,
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const who = await liveThrough('saml', {
    server: {
      'Server.Address': visible,
      // Another host name is another site, even on the same machine.
      'SAML.SingleSignOnURL': `http://localhost:${(pages.address() as AddressInfo).port}/sign-on`,
      'SAML.IdentityProvider': SAML_PROVIDER,
      'SAML.Certificate': provider.certificate,
      'SAML.UsernameAttribute': 'uid',
    },
    visible,
    signIn: (page) => page.getByRole('button', { name: 'Continue' }).click(),
    async end() {
      pages.closeAllConnections();
      pages.close();
      await once(pages, 'close');
    },
  });
  expect(who).toBe('alice');
});

test('signs in behind a proxy that asks for the password', async () => {
  const upstreamPort = await freePort();
  const secret = 'what only the proxy knows';
  const nginx = await startNginx({ upstreamPort, headers: [`proxy_set_header X-Proxy-Secret "${secret}";`] });
  const who = await liveThrough('proxied', {
    server: {
      'HTTP.Listen': `127.0.0.1:${upstreamPort}`,
      'ProxyAuth.TrustedProxies': '127.0.0.1',
      'ProxyAuth.Secret': secret,
      'Server.Address': nginx.url,
    },
    visible: nginx.url,
    context: { httpCredentials: { username: alice.username, password: alice.password } },
    signIn: async () => undefined,
    end: () => nginx[Symbol.asyncDispose](),
  });
  expect(who).toBe('alice');
});
