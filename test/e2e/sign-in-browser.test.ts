// Signing in with a real Chromium: its own rules for cookies, forms and sites are the ones that count.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createSamlProvider,
  freePort,
  KNOWN_PEOPLE,
  OIDC_CLIENT,
  SAML_PROVIDER,
  startNginx,
  startOidc,
  startSlapd,
  startTestServer,
} from '@pressroom/testkit';
import type { Config } from '@pressroom/server';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

let browser: Browser;
let profile: string;
beforeAll(async () => {
  profile = await mkdtemp(join(tmpdir(), 'pressroom-browser-'));
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...process.env, HOME: profile },
  });
});
afterAll(async () => {
  await browser.close();
  await rm(profile, { recursive: true, force: true });
});

const { alice } = KNOWN_PEOPLE;

async function fillIn(page: Page, password = alice.password): Promise<void> {
  await page.getByLabel('Username').fill(alice.username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

interface Setting {
  readonly server: Partial<Config>;
  readonly visible: string;
  /** From the sign-in page, or wherever it led, to where it was to lead. */
  readonly signIn: (page: Page) => Promise<void>;
  readonly context?: Parameters<Browser['newContext']>[0];
  readonly end?: () => PromiseLike<void>;
}

/** Signs in, makes a key in the session, signs out: the session is gone. Answers whose the key is, which goes on. */
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
    await page.goto(`${visible}/__login__?next=${encodeURIComponent('/__ping__?from=sign-in')}`);
    await signIn(page);
    await page.waitForURL(`${visible}/__ping__?from=sign-in`);
    expect(await page.evaluate('document.cookie')).not.toContain('pressroom');

    const xsrf = (await cookiesOf(context, visible)).get('RSC-XSRF')!;
    const headers = { 'X-RSC-XSRF': xsrf.value };
    const made = await context.request.post(`${visible}/__api__/keys`, { headers, data: { name: 'laptop' } });
    const { key } = (await made.json()) as { key: string };
    const mine = () => server.anonymous('GET', '/v1/user', { headers: { Authorization: `Key ${key}` } });

    expect((await context.request.post(`${visible}/__logout__`, { headers })).status()).toBe(200);
    expect([...(await cookiesOf(context, visible)).keys()]).toEqual([]);
    expect((await context.request.get(`${visible}/__api__/v1/user`)).status()).toBe(401);
    const { status, body } = await mine();
    expect(status).toBe(200);
    return body.username;
  } finally {
    await context.close();
    await server[Symbol.asyncDispose]();
    await setting.end?.();
  }
}

async function cookiesOf(context: BrowserContext, url: string) {
  // Cookies know no ports: those of other servers of the test are there, too.
  const all = await context.cookies(`${url}/__login__/callback`);
  const cookies = all.filter(({ name }) => /^(pressroom|RSC)/.test(name));
  for (const { sameSite, name, httpOnly } of cookies) {
    expect([name, sameSite, httpOnly]).toEqual([name, 'Lax', true]);
  }
  return new Map(cookies.map((cookie) => [cookie.name, cookie]));
}

const here = async () => `http://127.0.0.1:${await freePort()}`;

test('with a password, after a wrong one', async () => {
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

test('with the password of an LDAP directory', async () => {
  const slapd = await startSlapd();
  const who = await liveThrough('ldap', {
    server: slapd.settings,
    visible: await here(),
    signIn: fillIn,
    end: () => slapd[Symbol.asyncDispose](),
  });
  expect(who).toBe('alice');
});

test('at an OpenID Connect provider', async () => {
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
    end: () => oidc[Symbol.asyncDispose](),
  });
  expect(who).toBe('alice');
});

test('at a SAML provider, whose page posts the answer from another site', async () => {
  const visible = await here();
  const provider = createSamlProvider(visible);
  const pages = createServer((request, response) => {
    if (!request.url!.startsWith('/sign-on')) return void response.writeHead(404).end();
    const asked = provider.requestIn(new URL(request.url!, 'http://localhost').href);
    void provider.answer({ username: 'alice', request: asked }).then((answer) =>
      response.setHeader('Content-Type', 'text/html').end(
        `<form method="post" action="${visible}/__login__/callback">
          <input type="hidden" name="SAMLResponse" value="${answer}"><button>Continue</button></form>`,
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const who = await liveThrough('saml', {
    server: {
      'Server.Address': visible,
      // Another name is another site, also on the same machine.
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

test('behind a proxy that asks for the password itself', async () => {
  const upstreamPort = await freePort();
  const nginx = await startNginx({ upstreamPort });
  const who = await liveThrough('proxied', {
    server: {
      'HTTP.Listen': `127.0.0.1:${upstreamPort}`,
      'ProxyAuth.TrustedProxies': '127.0.0.1',
      'Server.Address': nginx.url,
    },
    visible: nginx.url,
    context: { httpCredentials: { username: alice.username, password: alice.password } },
    signIn: async () => undefined,
    end: () => nginx[Symbol.asyncDispose](),
  });
  expect(who).toBe('alice');
});
