// A server with an administrator who visits a hostile publisher's content, in a real browser; in each of the usual
// setups.
import type { Config } from '@pressroom/server';
import {
  freePort,
  publish,
  startTestServer,
  startTlsNginx,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ASGI, asgi } from '../../runtime/python-content.ts';
import { HOSTILE_PAGE, hostileApplication, type Target } from './hostile-page.ts';

/** How a server is set up. */
export interface Setup {
  readonly settings: (main: string, ports: readonly number[]) => Partial<Config>;
  /** A proxy in front: with TLS, or plain. */
  readonly nginx?: { readonly names: readonly string[]; readonly tls: boolean };
  /** Whether all content has one origin. */
  readonly isShared?: true;
  /** Ways to reach it, by name. */
  readonly ways: Readonly<Record<string, Way>>;
}

export interface Way {
  /** `{port}` is replaced by the browser's port. */
  readonly main: string;
  /** The domain of cookies. */
  readonly domain: string | null;
}

/** A server with content of a hostile publisher, and private content. */
export interface HostileServer extends AsyncDisposable {
  readonly port: number;
  readonly administrator: Person;
  /** The publisher's session. */
  readonly session: string;
  readonly page: Published;
  readonly app: Published;
  readonly secret: Published;
  /** Null where content is not protected from other content. */
  readonly secretApp: Published | null;
  namesOfKeys(): Promise<string[]>;
}

/** An administrator who visits that server. */
export interface HostileWorld extends AsyncDisposable {
  readonly main: string;
  readonly page: Published;
  readonly target: Target;
  readonly context: BrowserContext;
  /** The administrator's tab; one for all, as each starts processes of its own. */
  readonly tab: Page;
  /** The application's final address in the browser. */
  readonly appAddress: string;
  /** What the administrator sees of the secret page. */
  readonly seen: string;
}

export const SECRET = 'TOP SECRET';
const PASSWORD = 'correct horse';

export async function startHostileServer(setup: Setup): Promise<HostileServer> {
  await using stack = new AsyncDisposableStack();
  const [port, upstream, second] = [await freePort(), await freePort(), await freePort()];
  const listen = setup.nginx ? upstream : port;
  const [{ main }] = Object.values(setup.ways) as [Way];
  const server = stack.use(
    await startTestServer({
      settings: {
        'HTTP.Listen': `127.0.0.1:${listen}`,
        'Scheduler.IdleTimeout': 600,
        ...setup.settings(main.replace('{port}', String(port)), [port, second]),
      },
    }),
  );
  if (setup.nginx) stack.use(await startTlsNginx({ port, upstreamPort: upstream, ...setup.nginx }));
  const administrator = await server.administrator();
  const mallory = await server.person('publisher', { username: 'mallory' });
  const session = await sessionOf(server, mallory);
  const page = await publish(mallory, HOSTILE_PAGE);
  const app = await publish(mallory, hostileApplication(session), { metadata: ASGI });
  const fields = { access_type: 'acl' };
  const files = { 'index.html': `<h1>${SECRET}</h1>`, 'data.js': `window.stolen = '${SECRET}'` };
  const secret = await publish(administrator, files, { fields });
  // Content on a shared origin is not isolated from other content, so nothing is tested there.
  const secretApp = setup.isShared
    ? null
    : await publish(administrator, asgi({ '/': `answer = "${SECRET}"` }), { metadata: ASGI, fields });
  const opened = stack.move();
  return {
    port,
    administrator,
    session,
    page,
    app,
    secret,
    secretApp,
    async namesOfKeys() {
      const keys = await administrator.call('GET', `/v1/users/${administrator.guid}/keys`);
      return keys.body.map((key: { name: string }) => key.name);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** @param browser must find `*.test` on this machine. */
export async function visit(server: HostileServer, way: Way, browser: Browser): Promise<HostileWorld> {
  const { administrator, session, page, app, secret, secretApp } = server;
  const main = way.main.replace('{port}', String(server.port));
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const tab = await context.newPage();
  await tab.goto(`${main}/__login__`);
  await tab.getByLabel('Username').fill(administrator.username);
  await tab.getByLabel('Password').fill(PASSWORD);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.waitForURL((url) => url.pathname !== '/__login__');

  async function addressOf(content: Published): Promise<string> {
    await tab.goto(`${main}/content/${content.guid}/`);
    return tab.url();
  }
  const at = async (content: Published) => [
    ...new Set([`${main}/content/${content.guid}/`, await addressOf(content), `/content/${content.guid}/`]),
  ];
  const absolute = (address: string) => address.startsWith('http');
  const appAddress = await addressOf(app);
  const atSecretApp = secretApp === null ? [] : await at(secretApp);
  const atSecret = await at(secret);
  await tab.locator('h1').waitFor();
  const seen = await tab.content();
  return {
    main,
    page,
    context,
    tab,
    appAddress,
    seen,
    target: {
      main,
      session,
      domain: way.domain,
      others: [...atSecret, ...atSecretApp],
      sockets: atSecretApp.filter(absolute).map((address) => address.replace('http', 'ws')),
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function sessionOf(server: TestServer, { username }: Person): Promise<string> {
  const body = JSON.stringify({ username, password: PASSWORD });
  const response = await fetch(`${server.url}/__login__`, { method: 'POST', body });
  const cookie = response.headers.getSetCookie().find((line) => /pressroom-session=/.test(line));
  return /pressroom-session=([^;]+)/.exec(cookie ?? '')![1]!;
}
